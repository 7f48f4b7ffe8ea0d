#include "harness/runner/installation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "harness/build/toolkit.h"
#include "harness/runner/baselines.h"
#include "harness/runner/child_process.h"

namespace ridge::runner {

namespace fs = std::filesystem;

std::optional<fs::path> find_toolkit_libraries() {
  std::vector<fs::path> candidates;
  if (auto toolkit = build::find_toolkit()) {
    candidates.push_back(toolkit->folder / "lib64");
    candidates.push_back(toolkit->folder / "lib");
  }
  candidates.emplace_back(RIDGE_TOOLKIT_LIBRARIES);  // where this build was made
  for (const fs::path& folder : candidates) {
    std::error_code ignored;
    if (fs::exists(folder / "libcudart.so.13", ignored)) return fs::weakly_canonical(folder, ignored);
  }
  return std::nullopt;
}

std::vector<fs::path> library_files(const fs::path& libraries) {
  std::set<fs::path> files;  // a library has several names
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

std::string Gpu::architecture() const {
  // wgmma, setmaxnreg and TMA multicast exist only in the architecture-specific target of Hopper.
  return major == 9 && minor == 0 ? "90a" : fmt::format("{}{}", major, minor);
}

Probe probe(const Installation& installation, const fs::path& libraries) {
  StartOptions options;
  options.program = installation.runner;
  options.library_folder = libraries;
  options.arguments = {"--probe"};
  options.printed_limit = 64 * 1024;
  ChildProcess child(options);
  ChildEnd end = child.wait(20);
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
