#!/bin/bash
# Makes the pictures of the course anew, from traces of our solutions on the virtual GPU and by the program that the
# learner looks with: course/figures/make.sh [BUILD_FOLDER]. Takes a few minutes; needs no GPU and no window.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${1:-$root/build/release}/bin
out=$root/course/figures
# A clone of its own, so that neither your runs nor your traces are touched or seen.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$root"/{labs,solutions,course,CMakeLists.txt} "$scratch"
export RIDGE_ROOT=$scratch LIBGL_ALWAYS_SOFTWARE=1

trace() {  # RUNG: once
  local file=$scratch/$(echo "$1" | tr / -).rtrace
  [ -e "$file" ] || "$bin/ridge" trace "$1" --solution -o "$file" >"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
  echo "$file"
}
view() { "$bin/ridge-view" "$@"; }
still() {  # NAME RUNG [OPTIONS...]: the picture of a rung's scene
  local name=$1 file
  file=$(trace "$2")
  shift 2
  view --picture "$out/$name.svg" --panel view --theme light --size 1100x560 "$@" "$file"
}
moving() {  # NAME RUNG SECONDS [OPTIONS...]: the scene, and how it goes on
  local name=$1 seconds=$3 file
  file=$(trace "$2")
  shift 3
  view --picture "$out/$name.png" --panel view --theme light --size 1100x560 --play "$seconds" "$@" "$file"
}

still 01-vector-add 01/1
still 02-transpose-naive 02/3
still 02-transpose-tiled 02/4
still 03-interleaved 03/1
still 03-sequential 03/2
still 04-naive 04/1
still 04-coalesced 04/2
still 04-shared-tile 04/4
still 05-block-tile-2d 05/5
still 05-vectorized 05/6
still 06-mma-sync 06/2
still 06-ldmatrix 06/3
still 06-wgmma-tma 06/4
still 08-rows-in-flight 08/3

moving 01-vector-add-moving 01/1 6
moving 02-transpose-naive-moving 02/3 4
moving 03-interleaved-moving 03/1 8
moving 04-naive-moving 04/1 4
moving 05-block-tile-2d-moving 05/5 6
moving 08-rows-in-flight-moving 08/3 4
# A pipeline is seen in the strip below the view: the whole window.
file=$(trace 06/6)
view --picture "$out/06-producer-consumer-moving.png" --theme light --size 1000x600 --play 4 --keys "]" "$file"

# The README's: the whole window, and a roofline of runs as they land.
view --picture "$out/warp-view.png" --size 1200x750 "$scratch/02-3.rtrace"
# (Our solutions are the versions of a student here: one after the other.)
lab=05-gemm-float32
cp "$root/solutions/$lab"/*.cu "$scratch/labs/$lab/"
for rung in 1-naive 2-coalesced 3-shared-tile 4-block-tile-1d 5-block-tile-2d 6-vectorized 7-no-bank-conflicts; do
  "$bin/ridge" grade "$lab/$rung" --on virtual >"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
done
"$bin/ridge" trace "$lab/7" -o "$scratch/own.rtrace" >"$scratch/log"
view --picture "$out/roofline.png" --view roofline --panel view --size 1600x900 "$scratch/own.rtrace"
ls -l "$out"
