# A clone of empty folders in $clone, and tools that write to $calls how they were called. Sourced by the tests
# of ./ridge. The tools obey: $missing (packages that are not installed), $ninja_does (a command that ninja
# runs before it ends), $nvcc_release (13.0) and $nvcc_status (of a compilation, 0).
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
clone=$work/clone calls=$work/calls said=$work/said
export calls missing= ninja_does=true
mkdir -p "$clone" "$work/bin"
cp "$here/../../ridge" "$clone/ridge"
for folder in cmake text warp_model trace virtual_gpu harness visualizer leaderboard leaderboard/client leaderboard/pages tests; do
  mkdir "$clone/$folder"
  touch "$clone/$folder/file"
done
touch "$clone/leaderboard/CMakeLists.txt" "$clone/CMakeLists.txt" "$clone/CMakePresets.json"

tool() { { echo '#!/usr/bin/env bash'; cat; } >"$work/bin/$1"; chmod +x "$work/bin/$1"; }
tool nvcc <<<'echo "Cuda compilation tools, release ${nvcc_release:-13.0}, V"; [[ $1 == --version ]] || exit "${nvcc_status:-0}"'
tool cmake <<'TOOL'
echo "cmake $*" >>"$calls"
mkdir -p build/release/bin
touch build/release/build.ninja
printf '#!/bin/sh\necho "the program: $*"\n' >build/release/bin/ridge
chmod +x build/release/bin/ridge
TOOL
tool ninja <<'TOOL'
shift 2
echo "ninja $*" >>"$calls"
echo "@1/2@ one"
eval "$ninja_does" || exit 1
echo "@2/2@ two"
TOOL
tool dpkg-query <<'TOOL'
for package in "$@"; do [[ " -W -f $missing " == *" $package "* ]] || echo "ii  $package"; done
TOOL
tool apt-cache <<<'exit 0'
tool npm <<<'exit 0'
tool npx <<<'mkdir -p "$4" && touch "$4/index.html"'  # vite build --outDir FOLDER
tool apt-get <<<'echo "apt-get $*" >>"$calls"'
tool sudo <<<'[[ $1 == -n ]] && exit 0; exec "$@"'
export PATH=$work/bin:$PATH

# run ARGUMENTS...: ./ridge in the clone. Its words are in $said, its tools' calls in $calls.
run() {
  : >"$calls"
  "$clone/ridge" "$@" >"$said" 2>&1 </dev/null
}

failures=0
# expect WHAT GOT WANTED
expect() {
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$3" "$2"
  cat "$said"
  failures=$((failures + 1))
}
# expect_said WHAT WORDS
expect_said() { expect "$1" "$(grep -c -F -- "$2" "$said" | sed 's/^[1-9].*/said/')" said; }
built() { sed -n 's/^ninja //p' "$calls"; }

# Files that were touched just now are to be newer than the build before and older than the next.
age_everything() { find "$clone" -exec touch -h -d '1 hour ago' {} +; }
finish() {
  ((failures == 0)) && echo "all as expected"
  exit $((failures != 0))
}
