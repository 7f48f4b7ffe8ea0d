#!/bin/sh
# check_program.sh RIDGE WORK_FOLDER NAME "NVCC_FLAGS" [EXEC_FLAGS...]
# Compiles NAME.cu by clang with our headers and runs it on the virtual GPU. It fails as the program does.
set -eu
here=$(dirname "$0") ridge=$1 work=$2 name=$3 flags=$4
shift 4
mkdir -p "$work"
if ! RIDGE_COMPILER=clang "$ridge" nvcc --version >"$work/version.txt" 2>&1; then
  echo "skipped: no clang that compiles CUDA C++: sudo apt-get install clang-19"
  exit 0
fi
# shellcheck disable=SC2086
"$ridge" nvcc --with clang -std=c++17 $flags -o "$work/$name" "$here/$name.cu"
"$ridge" exec "$@" -- "$work/$name"
