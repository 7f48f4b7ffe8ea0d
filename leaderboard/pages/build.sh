#!/usr/bin/env bash
# Checks the types of the class's pages and builds them: build.sh WORK_FOLDER OUTPUT_FOLDER. npm fetches the libraries
# into WORK_FOLDER once. An output that is newer than every source is left as it is. Exit status 75: npm could not fetch.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$1 output=$2
if [[ -f $output/index.html && -f $work/.built && -z $(find "$here" -newer "$work/.built" -print -quit) ]]; then exit 0; fi
mkdir -p "$work"
touch "$work/.starting"
rm -rf "$work/src"  # a file that was removed here must go there
cp -Rp "$here/." "$work"  # with its times: npm is asked again only for another package-lock.json
cd "$work"
if [[ ! -f node_modules/.package-lock.json || package-lock.json -nt node_modules/.package-lock.json ]]; then
  npm ci --no-progress || exit 75
fi
npm run build -- --outDir "$output" --emptyOutDir
mv .starting .built
