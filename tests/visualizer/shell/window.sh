#!/bin/bash
# window.sh RIDGE_VIEW FOLDER: a real window, under xvfb-run. FOLDER holds first.rtrace, second.rtrace, cut.rtrace.
set -u
view=$1
cd "$2" || exit 1
cp first.rtrace open.rtrace
"$view" open.rtrace --size 640x480 2>view.log &
program=$!
trap 'kill $program 2>/dev/null' EXIT
fail() { echo "$1"; cat view.log; exit 1; }

window=
title_becomes() {  # 20 s at most
  for ((i = 0; i < 200; ++i)); do
    kill -0 $program 2>/dev/null || fail "ridge-view ended while \"$1\" was waited for"
    window=$(xdotool search --name "$1 - ridge-view" 2>/dev/null | head -1)
    [[ $window ]] && return
    sleep 0.1
  done
  fail "no window is called \"$1\""
}
title_becomes first
xdotool windowfocus --sync "$window" mousemove --window "$window" 400 200 key space key 2 key c
cp cut.rtrace new && mv new open.rtrace  # what cannot be read must not take away what is open
sleep 0.5
title_becomes first
cp second.rtrace new && mv new open.rtrace
title_becomes second
xdotool windowfocus --sync "$window" key Tab  # the run before is B now
title_becomes first
xdotool key ctrl+shift+s
for ((i = 0; i < 100; ++i)); do
  [[ -s ridge-view-compare.svg ]] && break
  sleep 0.1
done
tail -1 ridge-view-compare.svg 2>/dev/null | grep -q '</svg>' || fail "Ctrl+Shift+S saved no SVG"
xdotool key ctrl+q
wait $program || fail "ridge-view ended with status $?"
trap - EXIT
