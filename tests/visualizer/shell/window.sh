#!/bin/bash
# window.sh RIDGE_VIEW FOLDER: a real window, on an X server of our own. FOLDER holds first.rtrace, second.rtrace, cut.rtrace.
set -u
view=$1
cd "$2" || exit 1
cp first.rtrace open.rtrace
# The server takes the first number that is free, and says which when it may be used.
# Without -noreset it begins anew when its last client goes, xdotool for one, and refuses who comes just then.
Xvfb -displayfd 3 -noreset -screen 0 800x600x24 -nolisten tcp 3>display 2>server.log &
server=$!
trap 'kill $server 2>/dev/null' EXIT
for ((i = 0; i < 1800; ++i)); do
  [[ -s display ]] && break
  kill -0 $server 2>/dev/null || break
  sleep 0.1
done
[[ -s display ]] || { echo "Xvfb did not start:"; cat server.log; exit 1; }
DISPLAY=:$(<display)
export DISPLAY
"$view" open.rtrace --size 640x480 2>view.log &
program=$!
trap 'kill $program $server 2>/dev/null' EXIT
fail() { echo "$1"; cat view.log; exit 1; }

window=
title_becomes() {  # three minutes at most
  echo "waiting for the title \"$1\""
  for ((i = 0; i < 1800; ++i)); do
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
saves() {  # KEYS FILE: three minutes at most
  echo "waiting for $2 after $1"
  # shellcheck disable=SC2086
  xdotool key $1
  for ((i = 0; i < 1800; ++i)); do
    [[ -s $2 ]] && return
    sleep 0.1
  done
  fail "$1 saved no $2"
}
saves ctrl+shift+s ridge-view-compare.svg
tail -1 ridge-view-compare.svg | grep -q '</svg>' || fail "what Ctrl+Shift+S saved is no whole SVG"
saves "1 ctrl+s" ridge-view-warp.png  # of the view that the first key asks for
saves ctrl+s ridge-view-warp-2.png  # nothing is written over
cmp -s ridge-view-warp.png ridge-view-warp-2.png || fail "the second picture has in it that the first was saved"
xdotool key Home
saves ctrl+g ridge-view-warp-animated.png
grep -q acTL ridge-view-warp-animated.png || fail "what Ctrl+G saved does not move"
xdotool key question ctrl+l
xdotool key ctrl+q
wait $program || fail "ridge-view ended with status $?"
trap 'kill $server' EXIT
