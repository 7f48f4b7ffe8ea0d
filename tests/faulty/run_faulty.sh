#!/bin/sh
# run_faulty.sh COMPILER LIBRARY_FOLDER WORK_FOLDER FILE CASE CHECK
# Compiles FILE.cu when it or the compiler is newer than its program, runs the case on the virtual GPU and compares the
# first finding of the launch report with CHECK, with the line of the source that ends in "// <- CASE" (or "// <- CASE,
# by clang"), and with what the source's lines "// says CASE: TEXT" want in the message, and its cause with "// cause
# CASE: CAUSE". Then runs its corrected twin, in which nothing may be found.
set -u
compiler=$1 library=$2 work=$3 file=$4 name=$5 check=$6
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
program=$work/$file
if [ ! -x "$program" ] || [ "$compiler" -nt "$program" ] || [ -n "$(find "$here" -newer "$program" \( -name "$file.cu" -o -name '*.h' \) -print -quit)" ]; then
  # Cases of one file run side by side; each compiles for itself when none has before, and the last one's file stays.
  "$compiler" -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -cudart shared -lineinfo -Xcompiler -g1 -std=c++20 \
    -o "$program.$$" "$here/$file.cu" || exit 1
  mv "$program.$$" "$program"
fi

report=$work/$name.jsonl
run() {
  rm -f "$report"
  RIDGE_GRADED=1 RIDGE_REPORT=$report LD_LIBRARY_PATH=$library timeout 60 "$program" "$@" >"$work/$name.out" 2>"$work/$name.err"
}
show() {
  cat "$work/$name.out" "$work/$name.err"
  [ ! -f "$report" ] || grep -o '"message":"[^"]*"' "$report"
}
# "CHECK LINE" of the first finding.
finding() {
  [ -f "$report" ] && grep '"findings":\[{' "$report" | head -n 1 |
    sed 's/.*"findings":\[{"advice".*"block":\[[^]]*\],[^{}]*"check":"\([a-z_]*\)","file":"[^"]*","line":\([0-9]*\).*/\1 \2/'
}

line=$(grep -n "// <- $name\$" "$here/$file.cu" | cut -d: -f1)
# What the runtime does itself, as a copy, is reported without a line.
[ -n "$line" ] || ! grep -q "// <- $name, without a line\$" "$here/$file.cu" || line=0
# The compilers give some instructions the lines of other statements, and choose other instructions.
says=$name
case $compiler in *-by-clang)
  by_clang=$(grep -n "// <- $name, by clang\$" "$here/$file.cu" | cut -d: -f1)
  line=${by_clang:-$line}
  ! grep -q "^// says $name, by clang: " "$here/$file.cu" || says="$name, by clang" ;;
esac
[ -n "$line" ] || { echo "$file.cu has no line that ends in \"// <- $name\""; exit 1; }
run "$name"
found=$(finding)
if [ "$found" != "$check $line" ]; then
  echo "$name: expected \"$check $line\", found \"$found\""
  show
  exit 1
fi
message=$(grep '"findings":\[{' "$report" | head -n 1 | grep -o '"message":"[^"]*"' | head -n 1)
sed -n "s|^// says $says: ||p" "$here/$file.cu" | while read -r part; do
  case $message in
    *"$part"*) ;;
    *) echo "$name: the message does not say \"$part\": $message"; exit 1 ;;
  esac
done || exit 1
cause=$(grep '"findings":\[{' "$report" | head -n 1 | grep -o '"cause":"[^"]*"' | head -n 1)
sed -n "s|^// cause $name: ||p" "$here/$file.cu" | while read -r part; do
  [ "$cause" = "\"cause\":\"$part\"" ] || { echo "$name: expected the cause $part: $cause: $message"; exit 1; }
done || exit 1
run "$name" fixed
status=$?
if [ "$status" -ne 0 ] || [ -n "$(finding)" ] || [ -s "$work/$name.err" ]; then
  echo "$name: its corrected twin is not silent (exit status $status, \"$(finding)\")"
  show
  exit 1
fi
