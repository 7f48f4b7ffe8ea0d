#include "harness/build/toolkit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "harness/build/process.h"

namespace ridge::build {
namespace {

namespace fs = std::filesystem;

// The compilers that this process and its ancestors are already querying: $NVCC may be a script
// that calls `ridge nvcc`.
constexpr const char* kAskedVariable = "RIDGE_NVCC_ASKED";

std::vector<std::string> asked_before() {
  static const std::string given = [] {
    const char* value = std::getenv(kAskedVariable);
    return std::string(value ? value : "");
  }();
  std::vector<std::string> asked;
  std::istringstream text(given);
  for (std::string one; std::getline(text, one, ':');)
    asked.push_back(one);
  return asked;
}

void note_asked(const fs::path& nvcc) {
  std::string all = nvcc.string();
  for (const std::string& one : asked_before())
    all += ':' + one;
  // Not setenv(): other threads may be reading the environment.
  add_for_children(kAskedVariable, all);
}

std::vector<fs::path> places() {
  std::vector<fs::path> result;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string nvcc = variable("NVCC"); !nvcc.empty()) result.emplace_back(nvcc);
  if (const std::string home = variable("CUDA_HOME"); !home.empty())
    result.push_back(fs::path(home) / "bin/nvcc");
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) result.push_back(fs::path(folder) / "nvcc");
  }
  result.emplace_back("/usr/local/cuda/bin/nvcc");
  return result;
}

// What `nvcc --version` says of a compiler that works. It takes 20 ms and several places of a grading
// need it, so it is asked once per process and version of the file.
Toolkit toolkit_of(const fs::path& nvcc) {
  static std::mutex asking;
  static std::map<std::pair<std::string, fs::file_time_type>, Toolkit> known;
  std::error_code ignored;
  const std::pair key(nvcc.string(), fs::last_write_time(nvcc, ignored));
  const std::lock_guard lock(asking);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const Finished finished = run({nvcc.string(), "--version"});
  static const std::regex kRelease("release ([0-9]+)\\.([0-9]+)");
  std::smatch match;
  if (!finished.started || finished.status != 0 ||
      !std::regex_search(finished.output, match, kRelease)) {
    throw std::runtime_error(fmt::format(
        "{} --version failed with status {}, so it does not work: {}\nReinstall that CUDA "
        "Toolkit, or set CUDA_HOME to the folder of another one.",
        nvcc.string(), finished.status,
        finished.output.substr(0, finished.output.find_last_not_of(" \n") + 1)));
  }
  Toolkit toolkit;
  toolkit.nvcc = nvcc;
  toolkit.folder = fs::canonical(nvcc).parent_path().parent_path();
  toolkit.major = std::stoi(match[1]);
  toolkit.version = match[1].str() + "." + match[2].str();
  toolkit.build = finished.output;
  return known[key] = toolkit;
}

}  // namespace

std::optional<Toolkit> find_toolkit() {
  const std::vector<std::string> asked = asked_before();
  for (const fs::path& nvcc : places()) {
    std::error_code ignored;
    if (std::find(asked.begin(), asked.end(), nvcc.string()) != asked.end()) continue;
    if (!fs::is_regular_file(nvcc, ignored) || access(nvcc.c_str(), X_OK) != 0) continue;
    note_asked(nvcc);
    return toolkit_of(nvcc);
  }
  return std::nullopt;
}

Toolkit need_toolkit() {
  const std::optional<Toolkit> toolkit = find_toolkit();
  if (!toolkit) {
    throw std::runtime_error(
        "nvcc was not found in $CUDA_HOME/bin, PATH or /usr/local/cuda/bin; install the CUDA Toolkit 13 "
        "(https://developer.nvidia.com/cuda-downloads; no GPU and no driver are needed) and run `ridge "
        "doctor`");
  }
  if (toolkit->major != kToolkitMajor) {
    throw std::runtime_error(fmt::format(
        "{} is of CUDA {}, and the course needs CUDA {}.x; install that and put its bin folder first in PATH",
        toolkit->nvcc.string(), toolkit->version, kToolkitMajor));
  }
  return *toolkit;
}

}  // namespace ridge::build
