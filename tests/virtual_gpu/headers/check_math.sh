#!/bin/sh
# check_math.sh RIDGE WORK_FOLDER
# Compiles math.cu by clang and runs it on the virtual GPU: it prints each function's largest error and fails over the
# limit.
set -eu
here=$(dirname "$0") ridge=$1 work=$2
mkdir -p "$work"
if ! RIDGE_COMPILER=clang "$ridge" nvcc --version >"$work/version.txt" 2>&1; then
  echo "skipped: no clang that compiles CUDA C++: sudo apt-get install clang-19"
  exit 0
fi
"$ridge" nvcc --with clang -std=c++17 -O1 -o "$work/math" "$here/math.cu"
"$ridge" exec --checks none -- "$work/math"
