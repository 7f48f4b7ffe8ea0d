#!/usr/bin/env bash
# bare_machine.sh WORK_FOLDER [all | test]
# What the first use of a clone takes on a new machine: a minimal Debian 12, made by debootstrap, without a toolkit and
# without a compiler. Prints the seconds at which each step begins, from the command to the first verdict of lab 01, the
# CPU time, the load before, and the MB that apt-get downloads. all: then grades the solutions of all labs there. test:
# then runs the project's own tests there. Fails over 5 minutes, over 300 MB, or where a solution or a test fails. The making of the machine is not counted. Needs
# root, debootstrap, bubblewrap and the network. Takes minutes: not part of the tests.
set -euo pipefail
source=$(cd -- "$(dirname -- "$0")/../.." && pwd)
mkdir -p "$1"
work=$(cd -- "$1" && pwd)
machine=$work/machine clone=/root/ridgepoint
kMostSeconds=300 kMostMegabytes=300

rm -rf "$machine"
debootstrap --variant=minbase bookworm "$machine" >"$work/debootstrap.log"
rm "$machine"/var/cache/apt/archives/*.deb  # those of debootstrap
mkdir "$machine$clone"
git -C "$source" ls-files -z | tar -C "$source" --null -T - -cf - | tar -C "$machine$clone" -xf -

# on_it COMMAND...: runs it in the clone, as root of the new machine, with nothing of this one's environment.
on_it() {
  bwrap --bind "$machine" / --dev /dev --proc /proc --ro-bind /sys /sys --tmpfs /tmp --tmpfs /run \
    --ro-bind /etc/resolv.conf /etc/resolv.conf --cap-add ALL --clearenv --setenv HOME /root \
    --setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --chdir "$clone" "$@"
}

echo "load before: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
started=$SECONDS
TIMEFORMAT='CPU: %U s of user time, %S s of system time'
time on_it ./ridge grade 01/1 --solution 2>&1 | while IFS= read -r line; do
  printf '%4d s  %s\n' $((SECONDS - started)) "$line"
done | tee "$work/verdict.txt"
seconds=$((SECONDS - started))
archives=("$machine"/var/cache/apt/archives/*.deb)
megabytes=$(du -cb "${archives[@]}" | awk 'END { printf "%.0f", $1 / 1e6 }')
echo "first verdict: after $seconds s"
echo "downloads: $megabytes MB in ${#archives[@]} packages"
on_it ./ridge doctor
if ! grep -q '^ *[0-9]* s  PASS' "$work/verdict.txt" || ((seconds > kMostSeconds || megabytes > kMostMegabytes)); then
  exit 1
fi
case ${2-} in
  all) on_it ./ridge check --solutions ;;
  test) on_it ./ridge test ;;
esac
