#!/usr/bin/env bash
# without_toolkit.sh SOURCE WORK_FOLDER: configures the project as on a machine without a CUDA Toolkit, looks at what
# would be built and run, and compiles all that includes CUDA's headers against those of virtual_gpu/headers.
set -euo pipefail
source=$1 work=$2
fail() { echo "FAILED: $*"; exit 1; }
rm -rf "$work"
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNVCC= >"$work.log" 2>&1 ||
  { tail -n 25 "$work.log"; fail "it cannot be configured"; }
grep -q "No CUDA Toolkit 13" "$work.log" || fail "a toolkit was found although there was to be none"
ninja -C "$work" -n tests ridge-bench-virtual-gpu >"$work.steps" || fail "there is nothing to build for the tests"
for program in bin/ridge-cuda-by-clang bin/ridge-bench-kernels bin/machine_test bin/runtime_test; do
  grep -q "$program" "$work/build.ninja" || fail "$program is not built"
done
for files in CTestTestfile.cmake build.ninja; do
  named=$(grep -rhoE "[^ \"']*/bin/nvcc[ \"']" "$work" --include=$files | sort -u || true)
  [[ -z $named ]] || fail "$named is started although there is none"
done
skipped=$(ctest --test-dir "$work" -N -L skipped,needs-nvcc | sed -n 's/^Total Tests: //p')
all=$(ctest --test-dir "$work" -N | sed -n 's/^Total Tests: //p')
echo "$skipped of $all tests that are no Catch2 cases need nvcc"
((all > 300 && skipped > 0 && skipped * 20 < all)) || fail "these are too few tests, or too many that need nvcc"

# Headers of the toolkit that we do not write are included only where they are found.
unguarded=$(cd "$source" && grep -rnE '^ *#include <(cu|cub/|nccl|nv|thrust/)[a-zA-Z0-9_/.]*>' \
  harness leaderboard tests text trace virtual_gpu visualizer warp_model --include=*.cpp --include=*.h |
  while IFS=: read -r file _ line; do
    header=${line#*<} header=${header%>*}
    [[ $file == virtual_gpu/headers/* || $file == tests/hardware/* ]] && continue
    [[ -e virtual_gpu/headers/$header ]] || grep -q "__has_include(<$header>)" "$file" || echo " $file: $header"
  done)
[[ -z $unguarded ]] || fail "these headers are not in virtual_gpu/headers, and no __has_include asks for them:$unguarded"

mapfile -t objects < <(ninja -C "$work" -t targets all |
  sed -nE 's#^((virtual_gpu/runtime|harness/runner/child|harness/grade)/CMakeFiles/.*\.cxx\.o): .*#\1#p')
((${#objects[@]} >= 5)) || fail "there are only ${#objects[@]} objects to compile"
ninja -C "$work" "${objects[@]}" >"$work.compiled" ||
  { grep -m 12 error: "$work.compiled"; fail "virtual_gpu/headers lacks what these files use"; }
# A function that a header does not declare is compiled as C++, and programs get the stub of its name.
undeclared=$(cd "$work" && nm --defined-only "${objects[@]}" | grep -oE ' T _Z[0-9]+cu(da)?[A-Z]\w*' | sort -u || true)
[[ -z $undeclared ]] || fail "virtual_gpu/headers does not declare:$undeclared"
