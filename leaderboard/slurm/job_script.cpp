// Writes the script. The token is in the script and not on a command line: Slurm shows a script
// only to its user and to root.
#include "leaderboard/slurm/job_script.h"

#include <fmt/format.h>

namespace ridge::leaderboard {

namespace {

std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char letter : text)
    result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

constexpr const char* kScript = R"sh(
umask 077
work=$(mktemp -d /tmp/ridge-job-XXXXXX) || exit 70
trap 'rm -rf -- "$work"' EXIT
trap 'exit 71' TERM INT

# The programs: in a folder that all nodes see, or fetched once per node and version. A job that has
# not claimed its attempt after 60 s is cancelled.
if [ ! -x "$folder/bin/ridge-class" ]; then
  kept=/tmp/ridge-programs-$(id -u)
  mkdir -p "$kept" && [ -O "$kept" ] && [ ! -L "$kept" ] || exit 72
  folder=$kept/$programs
  exec 9>"$kept/lock"
  flock --timeout 50 9 || exit 76
  if [ ! -x "$folder/bin/ridge-class" ]; then
    printf 'header = "Authorization: Bearer %s"\n' "$token" |
      curl --silent --show-error --fail --max-time 50 --config - --output "$work/programs.tar" \
        "$server/api/v1/worker/programs.tar" || exit 73
    mkdir "$work/programs" && tar -xf "$work/programs.tar" -C "$work/programs" || exit 74
    rm -rf -- "$folder" && mv "$work/programs" "$folder" || exit 75
  fi
  exec 9>&-
fi

command -v nvcc >/dev/null || PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
export PATH RIDGE_ROOT="$folder" HOME="$work"
mkdir "$work/scratch"
printf '%s\n' "$token" |
  timeout -k 10 "$seconds" "$folder/bin/ridge-class" worker --server "$server" --name "slurm/$name" \
    --clone "$folder" --scratch "$work/scratch" --jobs 1 $unsafe
)sh";

}  // namespace

std::string script_text(const JobScript& script) {
  return fmt::format(
      "#!/bin/sh\n# Grades one submission for a class server of Ridgepoint.\n"
      "name={} server={} folder={} programs={} seconds={} unsafe={}\ntoken={}{}",
      in_quotes(script.name), in_quotes(script.server), in_quotes(script.folder),
      in_quotes(script.programs), script.seconds, script.unsafe ? "--unsafe" : "''",
      in_quotes(script.token), kScript);
}

}  // namespace ridge::leaderboard
