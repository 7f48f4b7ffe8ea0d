// What a rung is timed against, in the same process, the same rounds and on the same buffers as the student's
// function.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/problems/problem.h"
#include "harness/runner/baselines.h"

namespace ridge::runner {

// One place in device memory with the inputs of one call. A baseline may write anywhere in it: it is filled
// anew before the student's function gets it.
struct Slot {
  std::byte* start = nullptr;
  int64_t bytes = 0;
  std::vector<void*> pointers;  // in the order of Problem::buffers
};

// What is to be done, the same for every call but for the slot.
struct Work {
  const problems::Problem* problem = nullptr;
  problems::Sizes sizes;
  std::vector<double> scalars;
  int64_t bytes = 0;  // that the problem moves
  problems::Stream stream = nullptr;
};

class Baseline {
 public:
  virtual ~Baseline() = default;
  // How large a slot must be for it, at least.
  virtual int64_t slot_bytes(const Work&) const { return 0; }
  // Everything that is done once: handles, workspaces, the choice among algorithms on `trial`, which holds
  // inputs.
  virtual BaselineReport prepare(const Work& work, const Slot& trial) = 0;
  // Only queues the work on the stream.
  virtual void run(const Slot& slot) = 0;
};

// A library that is not on this machine, or too old; `text` says what was looked for and how to get it.
struct MissingLibrary {
  std::string name, text;
};

// `name` is one of harness/runner/baselines.h; `module` is the compiled module it needs, or empty. Throws
// std::invalid_argument for a name that is not known, MissingLibrary when its library cannot be opened.
std::unique_ptr<Baseline> make_baseline(const std::string& name, const std::string& module);

// Warm calls of `run`, then the median of their times on the device.
double trial_ms(Baseline& baseline, const Work& work, const Slot& slot);

}  // namespace ridge::runner
