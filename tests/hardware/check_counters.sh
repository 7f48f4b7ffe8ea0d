#!/bin/sh
# check_counters.sh NVCC LIBRARY_FOLDER WORK_FOLDER: our side of counters.json, recomputed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/counters_programs.sh" "$1" "$3"
LD_LIBRARY_PATH="$2" exec python3 "$here/compare_counters.py" check "$3"
