#!/usr/bin/env bash
# run.sh [FOLDER]: builds the sweeps of lab 11 in FOLDER and runs them. Needs two GPUs with peer
# access, nvcc, cuBLAS and NCCL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
folder=${1:-$(mktemp -d)}
solutions=$root/solutions/11-collectives
compile=(nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a
         -I"$root/labs/include" -I"$root/labs/11-collectives" -I"$here")
all_reduce() {  # NAME FILE: several files export the same function
  "${compile[@]}" "-Dall_reduce=all_reduce_$1" -c "$solutions/$2.cu" -o "$folder/$1.o"
}
link() {  # PROGRAM OBJECTS...
  "${compile[@]}" "$here/$1.cu" "${@:2}" -lcublas -lnccl -o "$folder/$1"
}
all_reduce ring 3-ring-all-reduce
all_reduce one_shot 4-one-shot
all_reduce two_shot 5-two-shot
for rung in 1-peer-copy 6-past-the-library 7-all-to-all 8-gemm-reduce-scatter; do
  "${compile[@]}" -c "$solutions/$rung.cu" -o "$folder/${rung%%-*}.o"
done
link links "$folder/1.o"
link all_reduce "$folder"/{ring,one_shot,two_shot,6}.o
link all_to_all "$folder/7.o"
link gemm_reduce_scatter "$folder/8.o"
export NCCL_NVLS_ENABLE=0  # NVLink's multicast is not used
nvidia-smi -L
"$folder/links"
"$folder/all_reduce" 10 30 4
"$folder/all_reduce" 10 30 2
"$folder/all_to_all"
"$folder/gemm_reduce_scatter"
