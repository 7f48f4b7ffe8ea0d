#include "harness/build/clang/installation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "harness/build/process.h"
#include "harness/build/sha256.h"
#include "text/whole_file.h"

namespace ridge::build::clang {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> clang_names() {
  std::vector<std::string> names = {fmt::format("clang++-{}", kPreferred)};
  for (int version = kPreferred + 1; version <= kNewest; ++version)
    names.push_back(fmt::format("clang++-{}", version));
  for (int version = kPreferred - 1; version >= kOldest; --version)
    names.push_back(fmt::format("clang++-{}", version));
  names.emplace_back("clang++");
  return names;
}

std::vector<fs::path> clang_places() {
  if (const char* given = std::getenv("RIDGE_CLANG"); given && *given) return {given};
  std::vector<fs::path> result;
  const char* path = std::getenv("PATH");
  for (const std::string& name : clang_names()) {
    std::istringstream folders(path ? path : "/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty() && access((fs::path(folder) / name).c_str(), X_OK) == 0)
        result.push_back(fs::path(folder) / name);
  }
  return result;
}

std::string hash_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files)
    all += file.string() + "\n" + text::read_file(file);
  return sha256(all);
}

}  // namespace

std::vector<fs::path> Clang::readable() const {
  return {headers, cudart.parent_path(), fs::canonical(program).parent_path().parent_path()};
}

std::optional<Clang> find_clang() {
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  Clang clang;
  clang.headers = build / "share/cuda_headers";
  clang.program_headers = build / "share/cuda_program_headers";
  clang.cudart = build / "lib/virtual/libcudart.so.13";
  if (!fs::exists(clang.headers / "cuda_runtime.h") || !fs::exists(clang.cudart))
    return std::nullopt;
  static const std::regex kVersion("clang version (([0-9]+)\\.[0-9.]+)");
  for (const fs::path& program : clang_places()) {
    const Finished finished = run({program.string(), "--version"});
    std::smatch match;
    if (!finished.started || finished.status != 0 ||
        !std::regex_search(finished.output, match, kVersion))
      continue;
    clang.program = program;
    clang.version = match[1];
    clang.major = std::stoi(match[2]);
    if (clang.major < kOldest) continue;
    clang.build = finished.output + hash_of(clang.headers);
    return clang;
  }
  return std::nullopt;
}

}  // namespace ridge::build::clang
