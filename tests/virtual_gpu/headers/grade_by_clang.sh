#!/bin/sh
# grade_by_clang.sh RIDGE CLONE RUNGS...
# The solutions of these rungs pass when clang compiles them.
set -eu
ridge=$1 clone=$2
shift 2
if ! RIDGE_COMPILER=clang "$ridge" nvcc --version >/dev/null 2>&1; then
  echo "skipped: no clang that compiles CUDA C++: sudo apt-get install clang-19"
  exit 0
fi
export RIDGE_ROOT="$clone"
for rung in "$@"; do
  "$ridge" grade "$rung" --solution --on virtual --with clang
done
