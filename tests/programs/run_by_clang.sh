#!/usr/bin/env bash
# run_by_clang.sh RIDGE WORK_FOLDER [NAMES...]
# Compiles these programs, or all, by clang, runs them on the virtual GPU and compares what they print with what a GPU
# prints. by_clang.tsv lists the programs that differ, and why. Fails if others differ, if one of the list does not, or
# if fewer than 90% of all programs print the same.
set -u
here=$(cd "$(dirname "$0")" && pwd) ridge=$(readlink -f "$1") work=$2
shift 2
if ! RIDGE_COMPILER=clang "$ridge" nvcc --version >/dev/null 2>&1; then
  echo "skipped: no clang that compiles CUDA C++: sudo apt-get install clang-19"
  exit 0
fi
mkdir -p "$work"
cd "$work" || exit 1  # some programs write files
work=$PWD
all=no
[ $# -gt 0 ] || all=yes
names=("$@")
[ $# -gt 0 ] || for file in "$here"/*/*.expected; do names+=("$(basename "$file" .expected)"); done
library=$(dirname "$ridge")/../lib/virtual
export here ridge work library

# Prints a line with the program's name and "same", or why it is not.
run_one() {
  local name=$1 folder sources flags
  folder=$(dirname "$here"/*/"$name.expected")
  sources=$folder/$name.cu
  case $name in
    separate_compilation_main | rdc_shared_main | managed_in_files_main) sources+=" ${sources/_main/_other}" ;;
  esac
  # CMakeLists.txt says: set(NAME_flags FLAGS)
  flags=$(sed -n "s/^set(${name}_flags \(.*\))$/\1/p" "$here/CMakeLists.txt")
  # shellcheck disable=SC2086
  if ! "$ridge" nvcc --with clang -std=c++17 -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -lineinfo \
    -I "$here" $flags -o "$work/$name" $sources >"$work/$name.log" 2>&1; then
    echo "$name: not compiled: $(grep -m 1 -E 'error|counterpart' "$work/$name.log" | cut -c1-140)"
  elif ! LD_LIBRARY_PATH="$library:$library/driver" timeout 60 "$work/$name" >"$work/$name.out" 2>"$work/$name.err"; then
    echo "$name: fails: $(tail -n 1 "$work/$name.err" | cut -c1-140)"
  elif ! diff "$folder/$name.expected" "$work/$name.out" >"$work/$name.diff"; then
    echo "$name: prints something else: $(sed -n 's/^> //p' "$work/$name.diff" | head -n 1 | cut -c1-120)"
  else
    echo "$name: same"
  fi
}
export -f run_one
printf '%s\n' "${names[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_one {}' | sort | tee "$work/by_clang.txt"
same=$(grep -c ': same$' "$work/by_clang.txt")
echo "$same of ${#names[@]} programs print the same"
failed=0
# The names in the file's first column.
differs() { grep -qP "^$1\t" "$here/by_clang.tsv"; }
while IFS=: read -r name outcome; do
  if [ "$outcome" = " same" ]; then
    differs "$name" && echo "$name prints the same, and by_clang.tsv says that it does not" && failed=1
  else
    differs "$name" || { echo "$name differs, and by_clang.tsv does not say why" && failed=1; }
  fi
done <"$work/by_clang.txt"
if [ "$all" = yes ] && ((same * 10 < ${#names[@]} * 9)); then
  echo "fewer than 90% print the same" && failed=1
fi
exit "$failed"
