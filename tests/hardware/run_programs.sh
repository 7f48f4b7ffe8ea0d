#!/bin/bash
# run_programs.sh build FOLDER [NAME...]   compiles tests/programs (all of them, or those named) into FOLDER: needs nvcc
# run_programs.sh run FOLDER               runs what is in FOLDER on this machine's GPU and compares with .expected
# run_programs.sh unrecorded               names the programs that no GPU has run yet: those that are not in the recording
# Lines of the virtual GPU's report ("links") are not expected of a GPU.
# What the programs print on the virtual GPU is only worth something if a GPU prints it, too. FOLDER can be carried to a
# machine that has a GPU and NVIDIA's libcudart.so.13 but no toolkit. The last run: tests/hardware/recorded/programs.txt.
set -u
here=$(cd "$(dirname "$0")" && pwd)
recorded=$here/recorded/programs.txt
usage() {
  sed -n '2,8s/^# //p' "$0"
  exit 2
}
action=${1:-} folder=${2:-}
[ "$action" = unrecorded ] || [ -n "$folder" ] || usage
shift $(($# < 2 ? $# : 2))

# The value of `set(NAME_KIND ...)` in the programs' CMakeLists.txt, where the flags of each are.
setting() {
  sed -n "s/^set($1_$2 \"\{0,1\}\([^\")]*\)\"\{0,1\})$/\1/p" "$here/../programs/CMakeLists.txt"
}

build() {
  local programs=$here/../programs name sources failed=0
  mkdir -p "$folder"
  cp "$programs"/*/*.expected "$folder"
  cp "$here/run_programs.sh" "$folder"
  [ $# -gt 0 ] || set -- $(cd "$programs" && ls ./*/*.expected | sed 's|.*/||; s|\.expected||')
  for name in "$@"; do
    sources=$(setting "$name" sources)
    # shellcheck disable=SC2046
    (cd "$(dirname "$programs"/*/"$name.expected")" && nvcc -I .. -gencode \
      'arch=compute_90a,code=[sm_90a,compute_90a]' -cudart shared -lineinfo \
      $(setting "$name" flags) -o "$folder/$name" ${sources:-$name.cu}) || { echo "$name does not compile"; failed=1; }
  done
  return $failed
}

run() {
  local expected name status same=0 differs=0
  for expected in "$folder"/*.expected; do
    name=$(basename "$expected" .expected)
    [ -x "$folder/$name" ] || { echo "$name: not built"; continue; }
    timeout 60 "$folder/$name" >"$folder/$name.out" 2>"$folder/$name.err"
    status=$?
    if diff -u <(grep -v '^"links":' "$expected") "$folder/$name.out" >"$folder/$name.diff" && [ $status -eq 0 ]; then
      same=$((same + 1))
      echo "$name: the same"
    else
      differs=$((differs + 1))
      echo "$name: differs, exit status $status"
      cat "$folder/$name.diff" "$folder/$name.err"
    fi
  done
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  echo "$same the same, $differs different"
  [ $differs -eq 0 ]
}

# What is recorded of a program that is gone, or that differed, is an error.
unrecorded() {
  local expected line name failed=0
  while IFS= read -r line; do
    name=${line%%: *}
    case $line in
      *": the same") ls "$here"/../programs/*/"$name.expected" >/dev/null 2>&1 || { echo "recorded, but gone: $name"; failed=1; } ;;
      "#"* | "NVIDIA "* | *" the same, 0 different") ;;
      *) echo "$recorded: $line"; failed=1 ;;
    esac
  done <"$recorded"
  for expected in "$here"/../programs/*/*.expected; do
    name=$(basename "$expected" .expected)
    grep -qx "$name: the same" "$recorded" || echo "$name: not yet run on a GPU"
  done
  return $failed
}

case $action in
  build) build "$@" ;;
  run) run ;;
  unrecorded) unrecorded ;;
  *) usage ;;
esac
