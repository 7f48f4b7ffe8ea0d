#!/bin/bash
# run_cheats.sh RIDGE OUT.json [--continue]     grades every file of tests/cheats on this machine's GPU with the program RIDGE
# All files are compiled first, side by side; those that no time decides are graded side by side too; the others one after
# another. OUT.json is written anew after each file: a run that is cut off leaves what it has, and --continue grades what
# is missing there, was not right, or has changed since. Where a call may last 10 minutes, call it twice.
# Timed sizes are 2^24 elements instead of 2^26, in a copy of the course, so that all of it takes some 12 minutes: what is
# asked is whether each gets its verdict, and a cheat no more than its honest twin. course/measured/nvidia-h200/cheats.json
# is from an H200.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
ridge=${1:-} out=${2:-} continue=${3:-}
[[ -n $out && ( -z $continue || $continue == --continue ) ]] || { sed -n '2,9s/^# //p' "$0"; exit 2; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/tests"
cp -r "$here/labs" "$here/solutions" "$here/CMakeLists.txt" "$copy"
cp -r "$here/tests/cheats" "$copy/tests"
sed -i 's/^gpu_size = \[67108864\]/gpu_size = [16777216]/; s/^gpu_size = \[8192, 8192\]/gpu_size = [4096, 4096]/' "$copy"/labs/*/lab.toml
find "$copy/tests/cheats" -name '*.cu' -exec sed -i 's/1 << 26/1 << 24/' {} +
RIDGE_ROOT=$copy "$ridge" check --cheats --on gpu -o "$(realpath -m "$out")" $continue
