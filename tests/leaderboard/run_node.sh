#!/usr/bin/env bash
# Runs a test of the class server in Node.js. What it needs from npm is fetched once per build folder.
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
work=$RIDGE_BUILD/class-tests
command -v node >/dev/null && command -v npm >/dev/null || { echo "skipped: node and npm are not installed"; exit 0; }
if [[ $1 == pages_test.mjs ]]; then
  [[ -x ${CHROMIUM:-/usr/bin/chromium} ]] || { echo "skipped: there is no /usr/bin/chromium (package chromium)"; exit 0; }
  [[ -f $RIDGE_BUILD/class-pages/index.html ]] || { echo "skipped: the pages are not built (./ridge test builds them)"; exit 0; }
fi
mkdir -p "$work"
exec 9>"$work/.lock"
flock 9
cp "$here"/browser/*.* "$here/browser/.npmrc" "$work"
if [[ $1 == pages_test.mjs && ! -d $work/node_modules/playwright-core ]]; then
  (cd "$work" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-progress >npm.log 2>&1) ||
    { tail -n 5 "$work/npm.log"; echo "skipped: npm could not fetch playwright-core and axe-core"; exit 0; }
fi
exec 9>&-
exec node "$work/$1" "${@:2}"
