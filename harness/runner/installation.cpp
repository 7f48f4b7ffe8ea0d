#include "harness/runner/installation.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "harness/build/toolkit.h"
#include "harness/runner/baselines.h"
#include "harness/runner/child_process.h"

namespace ridge::runner {

namespace fs = std::filesystem;

std::optional<fs::path> find_toolkit_libraries() {
  std::vector<fs::path> candidates;
  try {
    if (auto toolkit = build::find_toolkit()) {
      candidates.push_back(toolkit->folder / "lib64");
      candidates.push_back(toolkit->folder / "lib");
    }
  } catch (const std::runtime_error&) {  // an nvcc that does not work: choose_compiler says so, and takes clang
  }
  if (*RIDGE_TOOLKIT_LIBRARIES) candidates.emplace_back(RIDGE_TOOLKIT_LIBRARIES);  // where this build was made
  for (const fs::path& folder : candidates) {
    std::error_code ignored;
    if (fs::exists(folder / "libcudart.so.13", ignored)) return fs::weakly_canonical(folder, ignored);
  }
  return std::nullopt;
}

std::vector<fs::path> library_files(const fs::path& libraries) {
  std::set<fs::path> files;  // a set, since a library has several names
  for (const fs::path& folder :
       {libraries, fs::path("/usr/local/cuda/lib64"), fs::path("/usr/lib/x86_64-linux-gnu"),
        fs::path("/usr/lib64"), fs::path("/usr/lib"), fs::path("/usr/local/lib")}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      for (const BaselineKind& kind : baselines()) {
        if (!kind.library) continue;
        const std::string_view soname = kind.library->soname;
        if (name.starts_with(soname.substr(0, soname.find('.'))) && fs::is_regular_file(entry, ignored))
          files.insert(fs::canonical(entry.path(), ignored));
      }
    }
  }
  return {files.begin(), files.end()};
}

Installation find_installation() {
  fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  Installation found{bin / "ridge-runner", bin.parent_path() / "lib" / "virtual"};
  if (!fs::exists(found.runner))
    throw std::runtime_error(fmt::format(
        "{} is missing. It is built with the program: run ./ridge in the clone, or build the target "
        "ridge-runner.",
        found.runner.string()));
  return found;
}

// Queries CPU features: clang 14 does not know the names of the levels. As in
// virtual_gpu/machine/lanes/select.cpp.
int processor_level() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2"))
    return 2;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl")
             ? 4
             : 3;
#else
  return 0;
#endif
}

std::string why_not_executable(const std::string& built, int level) {
  std::istringstream sets(built);
  std::string names;
  for (std::string set; sets >> set;) {
    const bool is_level = set.size() == 2 && set[0] == 'v' && set[1] >= '0' && set[1] <= '9';
    if (!is_level || set[1] - '0' <= level) return {};
    names += (names.empty() ? "x86-64-" : ", x86-64-") + set;
  }
  if (names.empty()) return {};
  return fmt::format(
      "the virtual GPU of this build needs a processor with {}, and this one has x86-64-v{}: the build comes "
      "from another machine. Build it here (remove build/release, then run ./ridge), or there for every "
      "processor: cmake --preset portable && cmake --build --preset portable",
      names, level);
}

std::string why_no_virtual_gpu(const fs::path& virtual_libraries) {
  std::error_code ignored;
  if (!fs::exists(virtual_libraries / "libcudart.so.13", ignored))
    return fmt::format("the virtual GPU is missing: there is no {}; run ./ridge in the clone to build it",
                       (virtual_libraries / "libcudart.so.13").lexically_normal().string());
  std::ifstream file(virtual_libraries / "instruction_sets");
  const std::string built{std::istreambuf_iterator<char>(file), {}};
  return why_not_executable(built, processor_level());
}

std::string Gpu::architecture() const {
  // wgmma, setmaxnreg and TMA multicast exist only in Hopper's architecture-specific target.
  return major == 9 && minor == 0 ? "90a" : fmt::format("{}{}", major, minor);
}

Probe probe(const Installation& installation, const fs::path& libraries) {
  StartOptions options;
  options.program = installation.runner;
  options.library_folder = libraries;
  options.arguments = {"--probe"};
  options.printed_limit = 64 * 1024;
  ChildProcess child(options);
  ChildEnd end = child.wait(60);
  Probe result;
  if (end.how != ChildEnd::How::exited || end.code != 0) {
    result.why_none = fmt::format("looking for a GPU {}: {}", end.words(), child.printed());
    return result;
  }
  try {
    auto answer = nlohmann::json::parse(child.printed());
    result.why_none = answer.value("why_none", "");
    for (const auto& gpu : answer.at("gpus"))
      result.gpus.push_back({gpu.at("name"), gpu.at("major"), gpu.at("minor"), gpu.at("memory_bytes"),
                             gpu.at("l2_bytes"), gpu.at("multiprocessors"), gpu.at("peak_gb_per_s"),
                             gpu.at("driver"), gpu.at("runtime")});
  } catch (const nlohmann::json::exception&) {
    result.why_none = "looking for a GPU printed what cannot be read: " + child.printed();
  }
  return result;
}

}  // namespace ridge::runner
