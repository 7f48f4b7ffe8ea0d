// The settings of a file that are worth measuring: all combinations, less those that the file forbids, that
// nvcc does not compile, and that cannot do well on the device.
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
  not_compiled,  // nvcc says why
  does_not_fit,  // not one block on an SM
  few_warps,     // some of an SM's schedulers would have none
  spills,        // registers in memory, in every kernel of the file
  not_reached    // it was interrupted before
};

struct Candidate {
  Values values;
  Pruned pruned = Pruned::no;
  std::string why;  // in words, when it was pruned
  std::filesystem::path source, object;
  build::KernelResources resources;  // of the kernel with the most registers
  uint32_t threads = 0;              // a block; 0: the file does not say (kThreads)
  warp_model::Occupancy occupancy;   // 0 blocks where threads or the device are not known
  std::string messages;              // nvcc's, of one that did not compile
};

struct CandidateOptions {
  std::filesystem::path folder,
      cache;  // of the files with other values, which stay; of compiled ones
  std::vector<std::filesystem::path> include_folders;
  std::string file_name;  // "9-autotuned.cu"
  std::string architecture = "90a";
  const warp_model::DeviceDescription* device = nullptr;  // null: occupancy is not known
  unsigned jobs = 0;                                      // nvcc at a time; 0: one per core
  std::function<void(std::string_view)> progress;         // may be empty; called by one thread at a time
  const std::atomic<bool>* stop = nullptr;                // set: what is not done is not_reached
};

// In the order of Space::all(). Throws std::runtime_error when nvcc is missing or the disk is full.
std::vector<Candidate> make_candidates(const Space& space, const CandidateOptions& options);

// "prune" in a table: "the file forbids it", ...
std::string_view name(Pruned pruned);

// What of a candidate's resources speaks against it, filled in; for tests on its own.
void judge_resources(Candidate& candidate, const std::vector<build::KernelResources>& kernels,
                     const Known& known, const warp_model::DeviceDescription* device);

}  // namespace ridge::tune
