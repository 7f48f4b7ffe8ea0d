// `ridge class pack`, and the copy of a clone for workers that cannot read the original.
#include "leaderboard/program/packed_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "harness/build/process.h"
#include "leaderboard/access/secrets.h"
#include "leaderboard/program/commands.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

constexpr auto kCopying = fs::copy_options::recursive | fs::copy_options::overwrite_existing;

constexpr const char* kStart = R"sh(#!/bin/sh
# Starts the packed Ridgepoint: ./ridge class serve CLASS.toml
root=$(cd -- "$(dirname -- "$0")" && pwd)
command -v nvcc >/dev/null || PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
export RIDGE_ROOT="$root" PATH
exec "$root/bin/ridge" "$@"
)sh";

constexpr const char* kReadme = R"md(# A packed Ridgepoint

It runs and grades a class on a machine with Linux, the same kind of processor or a newer one, g++, bubblewrap, and
nvcc of the CUDA Toolkit 13.x or clang 18 or newer. Nothing is built here, and Node.js is not needed.

    ./ridge class demo
    ./ridge class kit ~/class
    ./ridge class doctor ~/class/class.toml
    ./ridge class serve ~/class/class.toml
)md";

}  // namespace

void copy_for_grading(const fs::path& programs, const fs::path& clone, const fs::path& target) {
  fs::create_directories(target / "bin");
  fs::create_directories(target / "lib");
  for (const char* program : {"ridge-class", "ridge-runner", "ridge-keeper", "ridge-host-compiler"})
    fs::copy(programs / program, target / "bin" / program, kCopying);
  for (const char* folder : {"lib/virtual", "share/cuda_headers"}) {
    fs::create_directories((target / folder).parent_path());
    fs::copy(programs.parent_path() / folder, target / folder, kCopying);
  }
  for (const char* folder : {"labs", "solutions"})
    fs::copy(clone / folder, target / folder, kCopying);
  fs::copy(clone / "CMakeLists.txt", target / "CMakeLists.txt", kCopying);
}

PackedPrograms pack_programs(const fs::path& clone, const fs::path& folder) {
  const fs::path staging = folder / ".programs";
  fs::remove_all(staging);
  copy_for_grading(fs::read_symlink("/proc/self/exe").parent_path(), clone, staging);
  const fs::path file = folder / ".programs.tar";
  const build::Finished made =
      build::run({"tar", "--sort=name", "-C", staging.string(), "-cf", file.string(), "."});
  fs::remove_all(staging);
  if (made.status != 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), made.output));
  return {file, hash_of_secret(text::read_file(file)).substr(0, 16)};
}

int pack(const fs::path& clone, const fs::path& folder) {
  if (fs::exists(folder))
    throw std::runtime_error(
        fmt::format("{} is there already; name a new folder", folder.string()));
  if (const std::string missing = why_no_pages(); !missing.empty())
    throw std::runtime_error(missing);
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path fresh = folder.string() + ".unfinished";
  fs::remove_all(fresh);
  copy_for_grading(programs, clone, fresh);
  fs::copy(programs / "ridge", fresh / "bin" / "ridge", kCopying);
  fs::copy(pages_folder(), fresh / "class-pages", kCopying);
  write_text(fresh / "ridge", kStart);
  write_text(fresh / "README.md", kReadme);
  fs::permissions(fresh / "ridge", fs::perms::owner_all | fs::perms::group_read |
                                       fs::perms::group_exec | fs::perms::others_read |
                                       fs::perms::others_exec);
  fs::rename(fresh, folder);
  fmt::print(
      "{0} runs a class without Node.js and without a build. Copy it to the other machine, for example by\n"
      "  tar -C {1} -czf ridge-packed.tar.gz {2}\nand start it there:  ./ridge class demo\n",
      folder.string(), fs::absolute(folder).parent_path().string(), folder.filename().string());
  return 0;
}

}  // namespace ridge::leaderboard
