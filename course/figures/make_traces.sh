#!/usr/bin/env bash
# Records the traces of the site's figures: make_traces.sh OUTPUT_FOLDER [BUILD_FOLDER]. One per rung of scenes.txt, of
# our solution on the virtual GPU: 02-3.rtrace for rung 02/3; index.json lists them. Records again only what changed.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../.." && pwd)
output=$1 bin=${2:-$root/build/release}/bin
if [[ ! -x $bin/ridge ]]; then
  echo "The traces of the site's figures cannot be recorded without $bin/ridge: run ./ridge list first, which builds it" >&2
  exit 75
fi
mkdir -p "$output"
# A clone of its own, so that neither your runs nor your traces are touched or seen.
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
cp -r "$root"/{labs,solutions,course,CMakeLists.txt} "$scratch"
export RIDGE_ROOT=$scratch

# A page waits for its traces: what is larger is recorded with its first block only.
most_bytes=3000000
record() { # RUNG FILE [OPTIONS...]
  "$bin/ridge" trace "$1" --solution -o "$2" "${@:3}" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
}

mapfile -t rungs < <(awk '!/^#/ && NF { print $3 }' "$here/scenes.txt" | sort -u)
index=
for rung in "${rungs[@]}"; do
  name=${rung/\//-} lab=${rung%/*}
  file=$output/$name.rtrace
  if [[ ! -f $file || -n $(find "$root/labs/$lab"-* "$root/solutions/$lab"-* -newer "$file" -print -quit) ]]; then
    record "$rung" "$scratch/$name.rtrace"
    (($(stat -c %s "$scratch/$name.rtrace") <= most_bytes)) || record "$rung" "$scratch/$name.rtrace" --blocks first
    mv "$scratch/$name.rtrace" "$file"
  fi
  index+="${index:+,}{\"trace\":\"$name\",\"rung\":\"$rung\"}"
done
printf '[%s]\n' "$index" >"$output/index.json"
