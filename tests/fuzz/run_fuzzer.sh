#!/bin/bash
# run_fuzzer.sh READER SECONDS FUZZERS_FOLDER COMPILER TRACE_SEED WORK_FOLDER
# Makes seeds of real inputs, then lets libFuzzer change them for so long. What it found stays in WORK_FOLDER/READER; a
# file that made a reader fail belongs beside the reader's tests, with the mending.
set -u
reader=$1 seconds=$2 fuzzers=$3 compiler=$4 trace_seed=$5 work=$6/$1
here=$(cd "$(dirname "$0")" && pwd)
fuzzer=$fuzzers/fuzz_$reader
if [ ! -x "$fuzzer" ]; then
  echo "no $fuzzer: it is built with clang (apt-get install clang libclang-rt-dev), and not in builds with sanitizers"
  exit 77
fi
seeds=$work/seeds
mkdir -p "$seeds" "$work/found"
compile() { "$compiler" -std=c++20 -lineinfo "$@" || exit 1; }
constructs=$here/../virtual_gpu/ptx/every_construct.cu
sample=$here/../virtual_gpu/runtime/sample.cu
arch=(-gencode 'arch=compute_90a,code=[sm_90a,compute_90a]')
limits=(-max_len=16384)
case $reader in
  ptx)
    [ -e "$seeds/sample.ptx" ] || {
      compile -arch=compute_90a -ptx "$constructs" -o "$seeds/constructs.ptx"
      compile -arch=compute_90a -ptx -G "$constructs" -o "$seeds/debug.ptx" -Wno-deprecated-gpu-targets
      compile -arch=compute_90a -ptx "$sample" -o "$seeds/sample.ptx"
    }
    limits=(-max_len=65536 "-dict=$here/ptx.dict") ;;
  fatbin)
    # clang's fat binaries are not compressed.
    if [[ $compiler == */nvcc ]]; then modes=(none speed balance size); else modes=(none); fi
    for mode in "${modes[@]}"; do
      compress=("--compress-mode=$mode")
      [[ $compiler == */nvcc ]] || compress=()
      [ -e "$seeds/$mode.fatbin" ] || compile "${arch[@]}" -fatbin "${compress[@]}" "$sample" -o "$seeds/$mode.fatbin"
    done ;;
  cubin) [ -e "$seeds/sample.cubin" ] || compile -arch=sm_90a -cubin "$sample" -o "$seeds/sample.cubin" ;;
  trace) [ -e "$seeds/example.rtrace" ] || "$trace_seed" "$seeds/example.rtrace" || exit 1 ;;
esac
log=$work/log
ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=0 "$fuzzer" "$work/found" "$seeds" "${limits[@]}" -seed=1 -timeout=10 \
  -rss_limit_mb=2048 -malloc_limit_mb=512 "-max_total_time=$seconds" "-artifact_prefix=$work/failed-" >"$log" 2>&1
status=$?
tail -n 2 "$log"
[ $status -eq 0 ] || { tail -n 60 "$log"; echo "the input is in $work/failed-*"; exit 1; }
