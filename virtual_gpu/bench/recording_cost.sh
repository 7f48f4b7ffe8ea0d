#!/bin/bash
# What recording a trace adds to a launch, in processor seconds of the whole program on one host thread, the least of three runs:
#   virtual_gpu/bench/recording_cost.sh [BUILD_FOLDER] [BENCHMARK...]
# counted: as a grade runs it, without a trace. default: the four default blocks recorded. all: every block, up to the 64 MB of a trace.
set -eu
bin=$(cd "${1:-build/release}/bin" && pwd)
shift || true
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

least() {  # EXEC_OPTIONS... BENCHMARK
  local name=${*: -1} TIMEFORMAT="%U %S"
  for _ in 1 2 3; do
    rm -f counts.jsonl
    { time "$bin/ridge" exec --threads 1 "${@:1:$#-1}" -- "$bin/ridge-bench-kernels" "$name" >log 2>&1; } 2>&1
  done | awk '{ s = $1 + $2; if (NR == 1 || s < least) least = s } END { printf "%.2f", least }'
}

printf '%-18s %8s %8s %8s %16s\n' benchmark counted default all "times counted"
for name in "${@:-sgemm-naive-512}"; do
  counted=$(least --report counts.jsonl "$name")
  default=$(least --trace t.rtrace "$name")
  all=$(least --trace t.rtrace --blocks all "$name")
  printf '%-18s %8s %8s %8s %16s\n' "$name" "$counted" "$default" "$all" \
    "$(awk "BEGIN { printf \"%.1f and %.1f\", $default / $counted, $all / $counted }")"
done
