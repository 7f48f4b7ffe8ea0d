#!/usr/bin/env bash
# Runs tests of the course's site in Node.js: run_site.sh NAME_test.mjs... All but *program_test build the site first, as
# `ridge course` does, and get what they need from npm once per build folder. With RIDGE_SITE_SAMPLE, a regular expression,
# only the pages whose path matches are built, without moving figures.
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
command -v node >/dev/null || { echo "skipped: node is not installed (package nodejs)"; exit 0; }
if [[ $1 == *program_test.mjs ]]; then exec node "$here/$1"; fi

command -v npm >/dev/null || { echo "skipped: npm is not installed (package npm)"; exit 0; }
[[ -x ${CHROMIUM:-/usr/bin/chromium} ]] || { echo "skipped: there is no /usr/bin/chromium (package chromium)"; exit 0; }
work=$RIDGE_BUILD/site-tests${RIDGE_SITE_SAMPLE:+-sample}
mkdir -p "$work"
exec 9>"$work/.lock"
flock 9
cp "$here"/*.mjs "$here"/../../leaderboard/browser/{package.json,package-lock.json,.npmrc,class_server.mjs} "$work"
export RIDGE_COURSE_BUILD=${RIDGE_COURSE_BUILD:-$RIDGE_ROOT/build/course-site${RIDGE_SITE_SAMPLE:+-sample}}
export RIDGE_SITE=$work/site
status=0
node "$RIDGE_ROOT/course/site/program/course.mjs" --build "$RIDGE_SITE" >"$work/build.log" 2>&1 || status=$?
if ((status)); then
  cat "$work/build.log"
  grep -q "npm could not fetch" "$work/build.log" && echo "skipped: npm could not fetch the site's libraries" && exit 0
  exit 1
fi
if [[ ! -d $work/node_modules/playwright-core ]]; then
  (cd "$work" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-progress >npm.log 2>&1) ||
    { tail -n 5 "$work/npm.log"; echo "skipped: npm could not fetch playwright-core and axe-core"; exit 0; }
fi
exec 9>&-
for test in "$@"; do node "$work/$test"; done
