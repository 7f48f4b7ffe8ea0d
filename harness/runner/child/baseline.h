// The baseline of a rung: runs in the same process and rounds and on the same buffers as the
// student's function.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/problems/problem.h"
#include "harness/runner/baselines.h"

namespace ridge::runner {

// A place in device memory with the inputs of one call. A baseline may write anywhere in it: it is
// filled again before the student's call.
struct Slot {
  std::byte* start = nullptr;
  int64_t bytes = 0;
  std::vector<void*> pointers;  // in the order of Problem::buffers
};

// The work, equal for every call except for the slot.
struct Work {
  const problems::Problem* problem = nullptr;
  problems::Sizes sizes;
  std::vector<double> scalars;
  int64_t bytes = 0;  // that the problem moves
  problems::Stream stream = nullptr;
  std::vector<problems::Stream> streams = {};  // one per device of the problem; the first is `stream`
  int in_a_row = 1;  // calls of a sample
  bool on_ranks() const { return problem != nullptr && problem->on_ranks; }
};

class Baseline {
 public:
  virtual ~Baseline() = default;
  // The minimum size of a slot for it.
  virtual int64_t slot_bytes(const Work&) const { return 0; }
  // Prepares once: handles, workspaces, the choice of an algorithm with calls on `trial`, which
  // contains inputs.
  virtual BaselineReport prepare(const Work& work, const Slot& trial) = 0;
  // Enqueues the work on the stream, nothing else.
  virtual void run(const Slot& slot) = 0;
};

// A library that is missing on this machine or too old; `text` says what was searched and how to
// get it.
struct MissingLibrary {
  std::string name, text;
};

// `name` is one of harness/runner/baselines.h; `module` is the compiled module that it needs, or
// empty. Throws std::invalid_argument for an unknown name, MissingLibrary when its library cannot
// be opened.
std::unique_ptr<Baseline> make_baseline(const std::string& name, const std::string& module);

// Makes warm-up calls of `run`, then returns the median of their device times.
double trial_ms(Baseline& baseline, const Work& work, const Slot& slot);

}  // namespace ridge::runner
