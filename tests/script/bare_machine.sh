#!/usr/bin/env bash
# bare_machine.sh WORK_FOLDER
# What the first use of a clone takes on a machine without NVIDIA's software: the toolkit's folders are hidden by
# bubblewrap, nothing is built and no compiler cache is used. Prints the seconds to the first verdict of lab 01, the load
# before it, the CPU time, and on Debian and Ubuntu the MB that apt-get would download on top of the distribution's required packages.
# Fails over 5 minutes, over 300 MB, or without PASS. Takes minutes: not part of the tests.
set -euo pipefail
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
mkdir -p "$1"
work=$(cd -- "$1" && pwd)
kMostSeconds=300 kMostMegabytes=300

# The installed packages that a minimal system has: required ones, apt, and what they depend on.
minimal_status() {
  python3 - "$1" <<'PYTHON'
import re, sys
packages = {}
for text in open('/var/lib/dpkg/status').read().split('\n\n'):
    if name := re.match(r'Package: (\S+)', text):
        packages[name[1]] = text
def field(name, key):
    found = re.search(rf'^{key}: (.*)$', packages[name], re.M)
    return found[1] if found else ''
providers = {given.split()[0]: name for name in packages for given in field(name, 'Provides').split(',') if given.strip()}
kept, left = set(), ['apt'] + [name for name in packages
                               if field(name, 'Priority') == 'required' or field(name, 'Essential') == 'yes']
while left:
    name = left.pop()
    if name in kept:
        continue
    kept.add(name)
    for key in ('Depends', 'Pre-Depends'):
        for choices in field(name, key).split(','):
            words = [re.sub(r'[:(].*', '', choice).strip() for choice in choices.split('|')]
            left += [word if word in packages else providers[word] for word in words
                     if word in packages or word in providers][:1]
open(sys.argv[1], 'w').write('\n\n'.join(packages[name] for name in sorted(kept)) + '\n')
PYTHON
}

if command -v apt-get >/dev/null; then
  packages=$(sed -n '/^  "first |/,/"$/p' "$root/ridge" | tr '\n' ' ' | cut -d'|' -f6)
  minimal_status "$work/status"
  mkdir -p "$work/archives/partial"
  # shellcheck disable=SC2086
  apt-get -o Dir::State::status="$work/status" -o Dir::Cache::archives="$work/archives" --no-install-recommends \
    --print-uris -qq install $packages clang-19 >"$work/uris"
  megabytes=$(awk '{ bytes += $3 } END { printf "%.0f", bytes / 1e6 }' "$work/uris")
  echo "downloads: $megabytes MB in $(wc -l <"$work/uris") packages"
fi

rm -rf "$work/clone"
mkdir "$work/clone"
git -C "$root" ls-files -z | tar -C "$root" --null -T - -cf - | tar -C "$work/clone" -xf -
hidden=()
for folder in /usr/local/cuda*/ /opt/cuda/ /opt/nvidia/; do
  [[ -d $folder && ! -L ${folder%/} ]] && hidden+=(--tmpfs "${folder%/}")
done
# Scripts of that name elsewhere in PATH.
for script in $(type -ap nvcc || true); do
  [[ $script == */cuda*/* ]] || hidden+=(--ro-bind /dev/null "$script")
done
path=$(tr : '\n' <<<"$PATH" | grep -v cuda | paste -sd :)
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
started=$SECONDS
TIMEFORMAT='CPU: %U s of user time, %S s of system time'
time bwrap --dev-bind / / "${hidden[@]}" --unsetenv CUDA_HOME --unsetenv NVCC --unsetenv CMAKE_CXX_COMPILER_LAUNCHER \
  --setenv CCACHE_DISABLE 1 --setenv PATH "$path" --chdir "$work/clone" \
  ./ridge grade 01/1 --solution 2>&1 | tee "$work/verdict.txt"
seconds=$((SECONDS - started))
echo "first verdict: after $seconds s"
bwrap --dev-bind / / "${hidden[@]}" --unsetenv CUDA_HOME --setenv PATH "$path" --chdir "$work/clone" \
  ./ridge doctor | grep -A 3 "lab compiler"
grep -q '^PASS' "$work/verdict.txt" && ((seconds <= kMostSeconds && ${megabytes:-0} <= kMostMegabytes))
