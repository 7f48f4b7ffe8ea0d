#!/usr/bin/env bash
# Compiles the figures of the course's site: build.sh OUTPUT_FOLDER [WORK_FOLDER] writes figures.mjs and figures.wasm.
# Compiles only what changed. Exit status 75: emscripten is missing, and the message says what to install.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
output=$1 work=${2:-$here/../../build/figures}
if ! command -v em++ >/dev/null; then
  echo "The figures of the site cannot be compiled without emscripten, and stay SVG pictures: sudo apt-get install emscripten" >&2
  exit 75
fi
# Where Debian keeps acorn, with which em++ shortens its JavaScript; Node.js of another source does not look there.
export NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
mkdir -p "$work" "$output"
if [[ ! -f $work/build.ninja ]]; then
  emcmake cmake -G Ninja -S "$here/module" -B "$work" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" 2>&1 ||
    { rm -f "$work/build.ninja"; tail -n 20 "$work/configure.log" >&2; exit 1; }
fi
ninja -C "$work" ${RIDGE_JOBS:+-j "$RIDGE_JOBS"} figures >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log" >&2; exit 1; }
for file in figures.mjs figures.wasm; do
  cmp -s "$work/$file" "$output/$file" || cp "$work/$file" "$output/$file"
done
