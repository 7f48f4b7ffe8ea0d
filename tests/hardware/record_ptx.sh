#!/bin/bash
# record_ptx.sh [BUILD_FOLDER]: builds record_ptx.cu against the lane operations of a build (build/release) and, where
# there is a GPU, records what it answers. A machine with a GPU needs only the program it leaves in the build folder:
#   record_ptx lane_ops.bin --compare     (five seconds on an H200; prints where the virtual GPU differs)
# The committed recording is tests/hardware/recorded/lane_ops.bin, made on an H200 with driver and PTX of CUDA 13.
set -e
cd "$(dirname "$0")/../.."
build=${1:-build/release}
ninja -C "$build" virtual_gpu/machine/lanes/libridge_lanes.a
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
nvcc -std=c++20 -O1 -arch=sm_90 -cudart static -I. tests/hardware/record_ptx.cu \
  "$build/virtual_gpu/machine/lanes/libridge_lanes.a" -L"$toolkit/lib64/stubs" -lcuda -o "$build/record_ptx"
if [ -e /dev/nvidia0 ]; then
  "$build/record_ptx" tests/hardware/recorded/lane_ops.bin --compare
else
  echo "no GPU here: carry $build/record_ptx to a machine that has one"
fi
