// The checks of every access of a launch: uninitialised reads and races. What each can and
// cannot see is in docs/checks.md.
#pragma once

#include <memory>
#include <vector>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

struct CheckOptions {
  bool race = true, uninitialised = true;
};

// What the observers of one launch share.
struct CheckedLaunch {
  CheckOptions options;
  const machine::LaunchConfig& config;
  machine::DeviceMemory& memory;
  const machine::Program* program = nullptr;
  uint32_t threads = 0, shared_bytes = 0;
  bool has_clusters = false;
  bool has_fences = false;        // threads may synchronise through memory
  bool updates_global = false;    // has atomics on global memory: one of them may be a flag
  bool follows_landings = false;  // who knows that a bulk copy has landed is followed (landed_copies.h)
  bool updates_shared = false;    // there may be atomics on shared memory
  std::vector<uint32_t> sites;    // by instruction: a small number for what accesses memory
  std::vector<uint32_t> site_instructions;  // the other way
  std::vector<bool> library_sites;          // by site: it is in the toolkit's own headers
};

// Fills in what depends on the program: fences, updates and sites. `program` and `config` are set.
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

 private:
  CheckedLaunch launch_;
  std::unique_ptr<GlobalShadow> global_;
  std::unique_ptr<GlobalRace> race_;  // the lowest blocks'
};

}  // namespace ridge::observe
