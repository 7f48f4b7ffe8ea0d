#!/usr/bin/env bash
# Errors, Ctrl-C and two commands at once: what was not built is built by the next command.
. "$(dirname -- "${BASH_SOURCE[0]}")/fake_clone.sh"

ninja_does='echo "file.cpp:1: error: no"; false' run list
expect "exit status of a build that fails" $? 3
expect_said "the compiler's error is shown" "file.cpp:1: error: no"
expect_said "and what to do" "the build failed"
run list
expect "the next command builds" "$(built)" first

rm -rf "$clone/build"
missing=libfmt-dev run list
expect_said "packages are installed" "installing: libfmt-dev"

# Ctrl-C reaches all processes of the terminal's group.
rm -rf "$clone/build"
: >"$calls"
set -m
ninja_does='sleep 30' "$clone/ridge" list >"$said" 2>&1 </dev/null &
script=$!
set +m
until grep -q ninja "$calls"; do sleep 0.02; done
kill -INT -- -$script
wait $script
expect "exit status after Ctrl-C" $? 130
expect_said "what comes next" "interrupted: the next ./ridge goes on from here"
run list
expect "after Ctrl-C the next command builds" "$(built)" first

# Two at once: one builds, the other waits.
rm -rf "$clone/build"
: >"$calls"
ninja_does='until [[ -e $calls.go ]]; do sleep 0.02; done' "$clone/ridge" list >"$work/one" 2>&1 </dev/null &
until grep -q ninja "$calls"; do sleep 0.02; done
"$clone/ridge" hint >"$said" 2>&1 </dev/null &
until grep -q "another ridge is building" "$said"; do sleep 0.02; done
touch "$calls.go"
wait
expect "two at once build once" "$(built)" first
expect_said "the second goes on" "the program: hint"
finish
