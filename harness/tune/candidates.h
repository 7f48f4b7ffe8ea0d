// The settings of a file that are worth measuring: all combinations except those that the file
// forbids, that nvcc does not compile, or that cannot be fast on the device.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "harness/build/compile.h"
#include "harness/tune/constants.h"
#include "warp_model/device.h"
#include "warp_model/occupancy.h"

namespace ridge::tune {

enum class Pruned {
  no,
  forbidden,     // by a static_assert
  not_compiled,  // `why` has nvcc's message
  does_not_fit,  // not even one block per SM
  few_warps,     // some of an SM's schedulers would have no warp
  spills,        // register spills in every kernel of the file
  not_reached    // the search was interrupted before
};

struct Candidate {
  Values values;
  Pruned pruned = Pruned::no;
  std::string why;  // a sentence, when it was pruned
  std::filesystem::path source, object;
  build::KernelResources resources;  // of the kernel with the most registers
  uint32_t threads = 0;              // per block; 0: the file does not define kThreads
  warp_model::Occupancy occupancy;   // 0 blocks when threads or the device are unknown
  std::string messages;              // nvcc's, when it did not compile
};

struct CandidateOptions {
  std::filesystem::path folder,
      cache;  // contains the generated files, which are kept, and compiled objects
  std::vector<std::filesystem::path> include_folders;
  std::string file_name;  // "9-autotuned.cu"
  std::string architecture = "90a";
  const warp_model::DeviceDescription* device = nullptr;  // null: occupancy is unknown
  // Parallel nvcc processes; 0: one per core.
  unsigned jobs = 0;
  std::function<void(std::string_view)> progress;         // may be empty; never called concurrently
  // When set, the remaining candidates are not_reached.
  const std::atomic<bool>* stop = nullptr;
};

// In the order of Space::all(). Throws std::runtime_error when nvcc is missing or the disk is full.
std::vector<Candidate> make_candidates(const Space& space, const CandidateOptions& options);

// The reason in a table: "the file forbids it", ...
std::string_view name(Pruned pruned);

// Sets the candidate's resources and decides whether they rule it out; public for tests.
void judge_resources(Candidate& candidate, const std::vector<build::KernelResources>& kernels,
                     const Known& known, const warp_model::DeviceDescription* device);

}  // namespace ridge::tune
