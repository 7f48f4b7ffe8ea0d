#!/bin/sh
# run_program.sh COMPILER LIBRARY_FOLDER WORK_FOLDER TOPIC/NAME "SOURCES" [FLAGS...]
# Compiles the sources when they or the compiler (cmake/cuda_compiler.cmake) are newer than the program, as people do
# (nvcc's own C++17, host code as it comes: the device code's optimisation does not depend on it), runs it on the
# virtual GPU and compares what it prints with NAME.expected. What the virtual GPU says on stderr is shown when they
# differ.
set -u
compiler=$1 library=$2 work=$3 name=$(basename "$4") sources=$5
headers=$(dirname "$0")
here=$headers/$(dirname "$4")
shift 5
mkdir -p "$work"
program=$work/$name
inputs=""
for source in $sources; do inputs="$inputs $here/$source"; done
if [ ! -x "$program" ] || [ "$compiler" -nt "$program" ] || [ -n "$(find "$here" "$headers" -maxdepth 1 -newer "$program" \( -name '*.cu' -o -name '*.h' \) -print -quit)" ]; then
  # shellcheck disable=SC2086
  "$compiler" -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -cudart shared -lineinfo -I "$headers" "$@" \
    -o "$program.new" $inputs || exit 1
  mv "$program.new" "$program"
fi
LD_LIBRARY_PATH="$library:$library/driver" timeout 60 "$program" >"$work/$name.out" 2>"$work/$name.err"
status=$?
if ! diff -u "$here/$name.expected" "$work/$name.out"; then
  echo "$name: prints something else (above: - expected, + got); exit status $status; stderr:"
  cat "$work/$name.err"
  exit 1
fi
[ "$status" -eq 0 ] || { echo "$name: exit status $status"; cat "$work/$name.err"; exit 1; }
