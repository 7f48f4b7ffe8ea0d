#!/bin/sh
# grade_by_clang.sh RIDGE CLONE [RUNG FILE]
# The solutions of two labs, drawn by chance, or this file, pass when clang compiles them.
set -eu
ridge=$1 clone=$2
if ! RIDGE_COMPILER=clang "$ridge" nvcc --version >/dev/null 2>&1; then
  echo "skipped: no clang that compiles CUDA C++: sudo apt-get install clang-19"
  exit 0
fi
export RIDGE_ROOT="$clone"
if [ $# -eq 4 ]; then
  exec "$ridge" grade "$3" --file "$4" --with clang --on virtual
fi
for lab in $(cd "$clone/solutions" && printf '%s\n' [0-9][0-9]-* | shuf -n 2); do
  "$ridge" check "$lab" --solutions --with clang
done
