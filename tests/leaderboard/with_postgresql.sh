#!/usr/bin/env bash
# Runs a command beside a PostgreSQL server of its own, whose address is in RIDGE_TEST_DATABASE:
#   with_postgresql.sh COMMAND...
# The server runs as the user nobody where this is root's, listens to a socket only, and is gone
# afterwards.
set -euo pipefail
binaries=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
if [[ ! -x $binaries/initdb ]]; then
  echo "skipped: PostgreSQL is not installed (package postgresql)"
  exit 0
fi
[[ $(ldconfig -p) == *libpq.so.5* ]] || { echo "skipped: libpq.so.5 is not installed (package libpq5)"; exit 0; }
folder=$(mktemp -d /tmp/ridge-pg-XXXXXX)  # a socket's path has at most 107 bytes
as_nobody=()
if ((EUID == 0)); then
  as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder")
  chown 65534:65534 "$folder"
fi
ended() {
  "${as_nobody[@]}" "$binaries/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf -- "$folder"
}
trap ended EXIT
trap 'exit 130' INT TERM
cd "$folder"
"${as_nobody[@]}" "$binaries/initdb" -D data -U ridge --auth-local=trust --no-sync --encoding=UTF8 --locale=C >init.log 2>&1 ||
  { tail -n 5 init.log; echo "initdb failed"; exit 1; }
# FSYNC=on measures with a disk; a test needs none.
"${as_nobody[@]}" "$binaries/pg_ctl" -D data -w -l server.log start \
  -o "-c listen_addresses='' -c unix_socket_directories=$folder -c fsync=${FSYNC:-off} -c max_connections=60" >/dev/null ||
  { tail -n 5 server.log; echo "PostgreSQL did not start"; exit 1; }
"$binaries/createdb" -h "$folder" -U ridge ridge
export RIDGE_TEST_DATABASE="postgresql://ridge@/ridge?host=$folder" RIDGE_TEST_POSTGRESQL_DATA=$folder/data
cd "$OLDPWD"
"$@" &
command=$!
trap 'kill "$command" 2>/dev/null; wait "$command"; exit 130' INT TERM
wait "$command"
