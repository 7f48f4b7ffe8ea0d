#!/usr/bin/env bash
# Which command builds what, when it is built again, and which packages are asked for.
. "$(dirname -- "${BASH_SOURCE[0]}")/fake_clone.sh"

all="first ridge-view ridge-bench-virtual-gpu ridge-class tests"
while IFS='|' read -r arguments targets; do
  rm -rf "$clone/build"
  run $arguments
  expect "exit status of ./ridge $arguments" $? 0
  expect "what ./ridge $arguments builds" "$(built)" "$targets"
  expect_said "./ridge $arguments hands over" "the program: $arguments"
  expect_said "./ridge $arguments says that it builds" "first use: building Ridgepoint"
  run $arguments
  expect "./ridge $arguments a second time" "$(built)" ""
done <<TABLE
|first
grade 01/1|first
--help|first
view|first ridge-view
view 02/4 --solution|first ridge-view
view --help|first
bench 01/1|first
bench virtual-gpu --json|first ridge-bench-virtual-gpu
exec -- view --help|first
class demo|first ridge-class
class serve class.toml|first ridge-class
class join http://127.0.0.1:8180 CODE|first
class status|first
submit 02/4|first
course|first
course --port 9000|first
test -R lanes|$all
test --help|first
TABLE

# What changed since; the command; what it builds. Everything was built before.
while IFS='|' read -r changed arguments targets; do
  rm -rf "$clone/build"
  run test
  age_everything
  touch "$clone/$changed"
  run $arguments
  expect "after $changed changed, ./ridge $arguments builds" "$(built)" "$targets"
  run $arguments
  expect "after that, ./ridge $arguments builds" "$(built)" ""
done <<TABLE
harness/file|grade 01|first
harness/file|view|first ridge-view
harness/new_file|list|first
virtual_gpu|list|first
text/file|list|first
visualizer/file|grade 01|
visualizer/file|view 02|ridge-view
tests/file|view|
leaderboard/file|list|
leaderboard/client/file|list|first
leaderboard/file|class demo|ridge-class
tests/file|test|tests
ridge|list|first
CMakeLists.txt|test|$all
TABLE

# A folder that CMake builds and no part names would never be looked at again.
while read -r folder; do
  expect "the table of parts names $folder" "$(grep -c -w -- "$folder" <(sed -n '/^parts=(/,/^)/p' "$clone/ridge") | sed 's/^[1-9].*/yes/')" yes
done < <(sed -n 's/^ *add_subdirectory(\([a-z_]*\)).*/\1/p' "$here/../../CMakeLists.txt")

# Without a compiler the course is shown all the same, by its own program.
rm -rf "$clone/build"
mv "$work/bin/nvcc" "$work/nvcc"
tool node <<<'echo "node: $*"'
cp "$clone/ridge" "$work/ridge"
sed -i 's#/usr/local/cuda#/none#g; s#/opt/cuda#/none#g; s#clang++-#no-clang-#g' "$clone/ridge"
PATH=$work/bin:/usr/bin:/bin CUDA_HOME='' run course --no-browser
expect "what ./ridge course builds without a compiler" "$(built)" ""
expect_said "./ridge course without a compiler hands over" "course/site/program/course.mjs --no-browser"
expect_said "./ridge course without a compiler says so" "no compiler for CUDA C++ was found"
mv "$work/ridge" "$clone/ridge"
mv "$work/nvcc" "$work/bin/nvcc"
rm "$work/bin/node"

# A part that is built later leaves the others alone, and finds packages that arrived with it.
rm -rf "$clone/build"
run list
missing="libimgui-dev libglfw3-dev xvfb" run view
expect "a later part" "$(built)" "ridge-view"
expect "packages of a later part" "$(sed -n 's/^apt-get install .*recommends //p' "$calls")" "libimgui-dev libglfw3-dev"
expect "a later part configures" "$(grep -c '^cmake' "$calls")" 1
expect_said "a later part says so" "first use: building the visualizer"
touch "$clone/harness/file"
run grade 01
expect "packages of others" "$(missing=libimgui-dev; grep -c apt-get "$calls")" 0
run view
expect "a part whose need was built by another command" "$(built)" "ridge-view"

# Without nvcc, or when clang is asked for, clang is installed and not the toolkit, unless there is one.
cp "$clone/ridge" "$work/ridge"
sed -i 's#clang++-#no-clang-#g' "$clone/ridge"
installed() { sed -n 's/^apt-get install .*recommends //p' "$calls"; }
rm -rf "$clone/build"
missing=clang-19 run grade 01
expect "packages where nvcc compiles" "$(installed)" ""
rm -rf "$clone/build"
missing=clang-19 run grade 01 --with clang
expect "packages for --with clang" "$(installed)" clang-19
rm -rf "$clone/build"
RIDGE_COMPILER=clang missing=clang-19 run grade 01
expect "packages where clang compiles" "$(installed)" clang-19
expect_said "./ridge says which compiler it is" "clang-19 of this distribution compiles the labs"
rm -rf "$clone/build"
nvcc_release=12.4 missing=clang-19 run grade 01
expect "packages where nvcc is too old" "$(installed)" clang-19
expect_said "./ridge says that nvcc is too old" "is of CUDA 12.4, and the course needs CUDA 13.x"
rm -rf "$clone/build"
nvcc_status=1 missing=clang-19 run grade 01
expect "packages where nvcc lacks a host compiler" "$(installed)" clang-19
expect_said "./ridge says that nvcc lacks a host compiler" "has no host compiler that it supports"
# The tests and the benchmark are built, and clang compiles their programs.
while IFS='|' read -r arguments targets; do
  rm -rf "$clone/build"
  nvcc_release=12.4 missing=clang-19 run $arguments
  expect "exit status of ./ridge $arguments without nvcc" $? 0
  expect "what ./ridge $arguments builds without nvcc" "$(built)" "$targets"
  expect "./ridge $arguments installs clang without nvcc" "$(installed | grep -c -w clang-19)" 1
done <<TABLE
test|$all
bench virtual-gpu|first ridge-bench-virtual-gpu
TABLE
rm -rf "$clone/build"
touch "$clone/build"  # a folder that cannot be made, for root too
run list
expect "exit status where the build's folder cannot be written" $? 3
expect_said "./ridge says what it cannot write" "ridge: cannot write in $clone/build/release, where Ridgepoint is built"
rm "$clone/build"
tool no-clang-20 <<<'exit 0'
rm -rf "$clone/build"
RIDGE_COMPILER=clang missing=clang-19 run grade 01
expect "packages where there is a clang" "$(installed)" ""
mv "$work/ridge" "$clone/ridge"
finish
