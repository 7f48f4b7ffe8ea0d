// Finds the programs and libraries of this build, and the CUDA runtime for the child.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::runner {

struct Installation {
  std::filesystem::path runner;             // bin/ridge-runner
  std::filesystem::path virtual_libraries;  // lib/virtual: contains our libcudart.so.13
};

// Relative to the running program: BIN/ridge-runner and BIN/../lib/virtual. Throws
// std::runtime_error when the runner is missing.
Installation find_installation();
// The best instruction set of this processor: 2, 3 or 4 for x86-64-v2, -v3, -v4; 0 on other
// architectures.
int processor_level();
// Why a virtual GPU built for the instruction sets `built` ("v4", "v2 v3 v4") cannot run on a
// processor of this level, and what to do; empty: it can.
std::string why_not_executable(const std::string& built, int level);
// Why the virtual GPU in this folder cannot be used, and what to do; empty: it can. The build
// writes its instruction sets to a file next to the library.
std::string why_no_virtual_gpu(const std::filesystem::path& virtual_libraries);
// The folder of NVIDIA's libcudart.so.13; no value when there is no toolkit on this machine.
std::optional<std::filesystem::path> find_toolkit_libraries();

// The library files of the baselines in the loader's folders and in `libraries`.
std::vector<std::filesystem::path> library_files(const std::filesystem::path& libraries);

struct Gpu {
  std::string name;          // "NVIDIA H200"
  int major = 0, minor = 0;  // compute capability
  int64_t memory_bytes = 0, l2_bytes = 0;
  int multiprocessors = 0;
  double peak_gb_per_s = 0;          // 0: the driver does not report it
  int driver = 0, runtime = 0;       // 13000 is 13.0
  std::string architecture() const;  // for nvcc: "90a", "80"
};

struct Probe {
  std::vector<Gpu> gpus;
  std::string why_none;  // a sentence, when there is no GPU
};

// Queries the CUDA runtime in `libraries` in a child process, so that a broken driver cannot crash
// the parent.
Probe probe(const Installation& installation, const std::filesystem::path& libraries);

}  // namespace ridge::runner
