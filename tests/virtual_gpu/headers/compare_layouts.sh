#!/bin/sh
# compare_layouts.sh HEADERS TOOLKIT_INCLUDE WORK_FOLDER
# Our CUDA headers and the toolkit's must agree on the size and fields of every type and on the value of every
# constant: programs that were compiled with either run on the same library.
set -eu
here=$(dirname "$0") headers=$1 toolkit=$2 work=$3
mkdir -p "$work"
python3 "$here/layout_probe.py" "$headers" >"$work/probe.cpp"
g++ -std=c++20 -I "$headers" "$work/probe.cpp" -o "$work/ours"
g++ -std=c++20 -I "$toolkit" "$work/probe.cpp" -o "$work/theirs"
"$work/ours" >"$work/ours.txt"
"$work/theirs" >"$work/theirs.txt"
diff -u "$work/theirs.txt" "$work/ours.txt"
lines=$(wc -l <"$work/ours.txt")
[ "$lines" -ge 900 ] || { echo "only $lines layouts and constants were compared"; exit 1; }
