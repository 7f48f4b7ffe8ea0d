// Where the programs and libraries of this build are, and which CUDA runtime goes under the child.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::runner {

struct Installation {
  std::filesystem::path runner;             // bin/ridge-runner
  std::filesystem::path virtual_libraries;  // lib/virtual: holds our libcudart.so.13
};

// Relative to the running program: BIN/ridge-runner and BIN/../lib/virtual. Throws std::runtime_error when
// the runner is not there.
Installation find_installation();
// The best instruction set that this processor has: 2, 3 or 4 for x86-64-v2, -v3, -v4; 0 on others than x86.
int processor_level();
// Why a virtual GPU whose loops were built for the instruction sets `built` ("v4", "v2 v3 v4") cannot run on
// a processor of this level, and what to do; empty: it can.
std::string why_not_executable(const std::string& built, int level);
// Why the virtual GPU in this folder cannot be used, and what to do; empty: it can. The build writes the
// instruction sets of its loops to a file beside the library.
std::string why_no_virtual_gpu(const std::filesystem::path& virtual_libraries);
// The folder that holds NVIDIA's libcudart.so.13; none: no toolkit on this machine.
std::optional<std::filesystem::path> find_toolkit_libraries();

// The files of the baselines' libraries, where the loader would look, with `libraries`.
std::vector<std::filesystem::path> library_files(const std::filesystem::path& libraries);

struct Gpu {
  std::string name;          // "NVIDIA H200"
  int major = 0, minor = 0;  // compute capability
  int64_t memory_bytes = 0, l2_bytes = 0;
  int multiprocessors = 0;
  double peak_gb_per_s = 0;          // 0: the driver does not say
  int driver = 0, runtime = 0;       // 13000 is 13.0
  std::string architecture() const;  // what nvcc is told: "90a", "80"
};

struct Probe {
  std::vector<Gpu> gpus;
  std::string why_none;  // when there is no GPU: a sentence
};

// Asks the CUDA runtime in `libraries` in a child process, so that a broken driver cannot take the parent
// with it.
Probe probe(const Installation& installation, const std::filesystem::path& libraries);

}  // namespace ridge::runner
