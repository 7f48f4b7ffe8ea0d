#!/bin/bash
# Makes the pictures of the course anew, from traces of our solutions on the virtual GPU and by the program that the
# learner looks with: course/figures/make.sh [BUILD_FOLDER]. Takes a few minutes; needs no GPU and no window, and for the
# README's pictures what the site needs (npm, Chromium, emscripten).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${1:-$root/build/release}/bin
out=$root/course/figures
for program in ridge ridge-view; do
  [ -x "$bin/$program" ] && continue
  echo "The pictures cannot be made without $bin/$program: ninja -C ${bin%/bin} $program builds it" >&2
  exit 75
done
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

while read -r name form rung seconds; do
  case $form in
    still) still "$name" "$rung" ;;
    moving) moving "$name" "$rung" "$seconds" ;;
    # A pipeline is seen in the strip below the view: the whole window, at twice the speed.
    window) view --picture "$out/$name.png" --theme light --size 1000x600 --play "$seconds" --keys "]" "$(trace "$rung")" ;;
    *) echo "course/figures/scenes.txt: $name has the form \"$form\", which is none of still, moving, window" >&2; exit 1 ;;
  esac
done < <(grep -v '^#' "$root/course/figures/scenes.txt")

# The README's are taken from the site.
RIDGE_ROOT=$root RIDGE_BUILD=$(dirname "$bin") PICTURES=$out "$root/tests/course/site/run_site.sh" readme_pictures.mjs
ls -l "$out"
