#!/bin/sh
# counters_programs.sh COMPILER FOLDER [SET]: compiles the programs of the folder SET (counters or everyday; counters is the
# default) into FOLDER, as every lab is compiled.
set -eu
compiler=$1 folder=$2 set=${3:-counters}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
for source in "$here/$set"/*.cu; do
  name=$(basename "$source" .cu)
  [ -z "$(find "$source" "$here/counters/micro_kernel.h" "$here/$set"/*.h -newer "$folder/$name" 2>/dev/null)" ] && [ -x "$folder/$name" ] && continue
  echo "$source"
done | xargs -P "$(nproc)" -I SOURCE sh -c '"$0" -gencode "arch=compute_90a,code=[sm_90a,compute_90a]" -cudart shared \
  --compress-mode=none -lineinfo -std=c++20 -O3 -o "$1/$(basename "$2" .cu)" "$2"' "$compiler" "$folder" SOURCE
