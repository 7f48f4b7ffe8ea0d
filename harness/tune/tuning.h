// Measures the settings of a grid that were not pruned, and ranks them. The measuring function is
// an argument: a GPU, or a test's model.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/tune/candidates.h"

namespace ridge::tune {

// Sufficient for the one sweep that was measured completely
// (course/measured/nvidia-h200/05-gemm-float32.tune.json): of its 82 settings, 48 evenly spread
// ones always contain the best.
inline constexpr int kMostTries = 48;

struct Measurement {
  double percent = 0, percent_low = 0, percent_high = 0;  // of the baseline: median and quartiles
  double time_ms = 0;
  std::string failure;      // why there are no figures: "WRONG: ..."; otherwise empty
  bool broken_off = false;  // by the user
};
using Measure = std::function<Measurement(const Candidate&)>;

struct Tried {
  size_t candidate = 0;  // index in Tuning::candidates
  Measurement measurement;
  bool right() const { return measurement.failure.empty(); }
};

// The distance of the first tries' best setting from the best of all, when everything was measured.
struct Gap {
  size_t best = 0;     // index of the candidate
  size_t tries = 0;    // the number without --exhaustive
  double percent = 0;  // 0: the first tries contained the best
};

struct Tuning {
  std::vector<Candidate> candidates;
  std::vector<size_t> measurable;  // those that were not pruned
  std::vector<Tried> tried;        // in the order of measuring
  bool interrupted = false;
  std::optional<Gap> gap;
  std::vector<const Tried*> ranked() const;  // the correct ones, best first
  size_t count(Pruned pruned) const;
};

struct TuningOptions {
  int most_tries = kMostTries;
  bool exhaustive = false;
  Values current;  // the file's own values, which are measured first
  const std::atomic<bool>* stop = nullptr;
};

// The indices of a grid of `count` settings in measuring order: `first` (if it is in the grid),
// evenly spread indices up to `tries` in total, then the rest.
std::vector<size_t> grid_order(size_t count, size_t first, size_t tries);

// The candidates in that order, the file's own values first.
std::vector<size_t> measuring_order(const Tuning& tuning, const TuningOptions& options);

// Measures into tuning.tried until the required number is correct; when exhaustive, measures all
// and computes the gap.
void carry_out(Tuning& tuning, const TuningOptions& options, const Measure& measure);

}  // namespace ridge::tune
