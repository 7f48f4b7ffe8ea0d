// Runs a file once more with its blocks in another order than they are numbered.
//
// CUDA promises no order of blocks. The virtual GPU begins them as they are numbered and lets each
// run until it waits, so a block always finds what earlier blocks have published last. Mistakes of
// blocks that wait for each other show only in another order: a tile that takes its number from
// blockIdx, a look-back that stops at the first sum.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/build/compile.h"
#include "harness/course/lab.h"
#include "harness/grade/findings/learner_source.h"
#include "harness/grade/findings/outcome.h"
#include "harness/runner/installation.h"

namespace ridge::grade {

struct OtherOrder {
  const runner::Installation& installation;
  const build::Compiled& compiled;
  const course::Rung& rung;
  std::filesystem::path libraries, scratch;
  uint64_t seed = 0;  // of the order and the inputs
  LearnerSource source;
};

// On the virtual GPU, in a process of its own, at Rung::other_order; none where the answer is right.
std::optional<Outcome> check_other_order(const OtherOrder& work);

}  // namespace ridge::grade
