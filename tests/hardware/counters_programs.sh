#!/bin/sh
# counters_programs.sh NVCC FOLDER: compiles the micro-kernels into FOLDER, as every lab is compiled.
set -eu
nvcc=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
for source in "$here"/counters/*.cu; do
  name=$(basename "$source" .cu)
  [ -z "$(find "$source" "$here/counters/micro_kernel.h" -newer "$folder/$name" 2>/dev/null)" ] && [ -x "$folder/$name" ] && continue
  "$nvcc" -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -cudart shared --compress-mode=none -lineinfo -std=c++20 \
    -O3 -o "$folder/$name" "$source"
done
