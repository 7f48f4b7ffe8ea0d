// The checks of every access of a launch: uninitialised reads and races. docs/checks.md describes
// what each check can and cannot detect.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

class UndefinedResults;

struct CheckOptions {
  bool race = true, uninitialised = true;
  // Stores to global memory of values that were computed from unwritten bytes are reported when they
  // are read (Checks::deferred); these are the results of earlier launches. nullptr: at the store.
  const UndefinedResults* results = nullptr;
};

// Data shared by the observers of one launch.
struct CheckedLaunch {
  CheckOptions options;
  const machine::LaunchConfig& config;
  machine::DeviceMemory& memory;
  const machine::Program* program = nullptr;
  uint32_t threads = 0, shared_bytes = 0;
  bool has_clusters = false;
  bool has_fences = false;        // threads may synchronise through memory
  bool updates_global = false;    // has atomics on global memory, each of which may be a flag
  // Tracks which warps know of completed bulk copies (landed_copies.h).
  bool follows_landings = false;
  bool updates_shared = false;    // there may be atomics on shared memory
  std::vector<uint32_t> sites;    // by instruction: a small number for memory accesses
  std::vector<uint32_t> site_instructions;  // the inverse
  std::vector<bool> library_sites;          // by site: it is in the toolkit's headers
};

// Sets the members that depend on the program: fences, updates and sites. `program` and `config`
// must be set.
void number_sites(CheckedLaunch& launch);

class GlobalShadow;
struct GlobalRace;

class Checks : public machine::ObserverFactory {
 public:
  // `config` and `memory` must outlive the launch.
  Checks(CheckOptions options, const machine::LaunchConfig& config, machine::DeviceMemory& memory);
  ~Checks() override;
  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;
  std::optional<LateFault> verdict() override;
  std::vector<DeferredFault> deferred() override;

 private:
  CheckedLaunch launch_;
  std::unique_ptr<GlobalShadow> global_;
  std::unique_ptr<GlobalRace> race_;  // the one with the lowest blocks
  std::map<uint32_t, DeferredFault> deferred_;  // by serial of the allocation, of the lowest block
};

}  // namespace ridge::observe
