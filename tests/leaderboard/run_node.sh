#!/usr/bin/env bash
# Runs a test of the class server in Node.js. What it needs from npm is fetched once per build folder.
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
work=$RIDGE_BUILD/class-tests
command -v node >/dev/null && command -v npm >/dev/null || { echo "skipped: node and npm are not installed"; exit 0; }
if [[ $1 == pages_test.mjs ]]; then
  [[ -x ${CHROMIUM:-/usr/bin/chromium} ]] || { echo "skipped: there is no /usr/bin/chromium (package chromium)"; exit 0; }
fi
if [[ $1 == proxy_test.mjs ]]; then
  for program in nginx openssl curl; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 0; }
  done
fi
if [[ $1 == unit_test.mjs ]]; then
  command -v systemd-analyze >/dev/null || { echo "skipped: systemd-analyze is not installed (package systemd)"; exit 0; }
fi
if [[ $1 == container_test.mjs ]]; then
  for program in podman debootstrap; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "skipped: $program is not installed (package $program)"; exit 0; }
  done
  ((EUID == 0)) || { echo "skipped: debootstrap and a container with this machine's network need root"; exit 0; }
  [[ -d /usr/local/cuda ]] || { echo "skipped: the CUDA Toolkit is not in /usr/local/cuda"; exit 0; }
fi
mkdir -p "$work"
exec 9>"$work/.lock"
flock 9
cp "$here"/browser/*.* "$here/browser/.npmrc" "$work"
if [[ $1 == pages_test.mjs || $1 == pack_test.mjs || $1 == container_test.mjs ]]; then
  # As ./ridge builds them; a build by ninja alone has none.
  status=0
  "$here/../../leaderboard/pages/build.sh" "$RIDGE_BUILD/class-pages-source" "$RIDGE_BUILD/class-pages" >"$work/pages.log" 2>&1 || status=$?
  if ((status)); then tail -n 15 "$work/pages.log"; fi
  if ((status == 75)); then echo "skipped: npm could not fetch the libraries of the pages"; exit 0; fi
  if ((status)); then echo "the pages could not be built"; exit 1; fi
fi
if [[ $1 == pages_test.mjs && ! -d $work/node_modules/playwright-core ]]; then
  (cd "$work" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-progress >npm.log 2>&1) ||
    { tail -n 5 "$work/npm.log"; echo "skipped: npm could not fetch playwright-core and axe-core"; exit 0; }
fi
exec 9>&-
case $1 in
  postgresql_test.mjs) exec "$here/with_postgresql.sh" node "$work/$1" ;;
  slurm_test.mjs | slurm_silent_test.mjs) exec "$here/with_slurm.sh" node "$work/$1" ;;
  scale_faults_test.mjs) exec "$here/with_postgresql.sh" "$here/with_slurm.sh" node "$work/$1" ;;
esac
[[ -z ${STORE:-} ]] || exec "$here/with_$STORE.sh" node "$work/$1"  # STORE=postgresql
exec node "$work/$1" "${@:2}"
