#!/bin/sh
# check_counters.sh COMPILER LIBRARY_FOLDER WORK_FOLDER [SET]: our side of counters.json, recomputed; of everyday.json if SET
# is everyday.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
set=${4:-counters}
script=compare_counters.py
[ "$set" = everyday ] && script=everyday_counters.py
"$here/counters_programs.sh" "$1" "$3" "$set"
LD_LIBRARY_PATH="$2" exec python3 "$here/$script" check "$3"
