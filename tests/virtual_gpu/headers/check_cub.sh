#!/bin/sh
# check_cub.sh RIDGE WORK_FOLDER
# Compiles cub.cu by clang with our part of CUB, and runs it on the virtual GPU with its checks.
set -eu
here=$(dirname "$0") ridge=$1 work=$2
mkdir -p "$work"
if ! RIDGE_COMPILER=clang "$ridge" nvcc --version >"$work/version.txt" 2>&1; then
  echo "skipped: no clang that compiles CUDA C++: sudo apt-get install clang-19"
  exit 0
fi
"$ridge" nvcc --with clang -std=c++17 -o "$work/cub" "$here/cub.cu"
"$ridge" exec -- "$work/cub"
