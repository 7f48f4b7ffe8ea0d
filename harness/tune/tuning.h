// Measures the settings of a grid that were not pruned and ranks them. What measures is handed in: a GPU, or
// a test's made-up machine.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/tune/candidates.h"

namespace ridge::tune {

// Enough for the one sweep that was measured in full (course/measured/nvidia-h200/05-gemm-float32.tune.json):
// of its 82 settings, 48 that are evenly spread always hold the best one.
inline constexpr int kMostTries = 48;

struct Measurement {
  double percent = 0, percent_low = 0, percent_high = 0;  // of the baseline: median and quartiles
  double time_ms = 0;
  std::string failure;      // why there are no figures: "WRONG: ...": empty when there are
  bool broken_off = false;  // by the person
};
using Measure = std::function<Measurement(const Candidate&)>;

struct Tried {
  size_t candidate = 0;  // in Tuning::candidates
  Measurement measurement;
  bool right() const { return measurement.failure.empty(); }
};

// How far the best of the first tries is from the best there is, when everything was measured.
struct Gap {
  size_t best = 0;     // the candidate
  size_t tries = 0;    // as many as would have been made otherwise
  double percent = 0;  // 0: they held the best
};

struct Tuning {
  std::vector<Candidate> candidates;
  std::vector<size_t> measurable;  // not pruned
  std::vector<Tried> tried;        // in the order of measuring
  bool interrupted = false;
  std::optional<Gap> gap;
  std::vector<const Tried*> ranked() const;  // right ones, best first
  size_t count(Pruned pruned) const;
};

struct TuningOptions {
  int most_tries = kMostTries;
  bool exhaustive = false;
  Values current;  // the file's own, which are measured first
  const std::atomic<bool>* stop = nullptr;
};

// All places of a grid of `count` settings in the order in which they are measured: `first` (where it is one
// of them), `tries` places in all that are evenly spread, then the rest.
std::vector<size_t> grid_order(size_t count, size_t first, size_t tries);

// The candidates in that order, the file's own values first.
std::vector<size_t> measuring_order(const Tuning& tuning, const TuningOptions& options);

// Measures into tuning.tried until as many as asked for are right; all of them, and the gap, when exhaustive.
void carry_out(Tuning& tuning, const TuningOptions& options, const Measure& measure);

}  // namespace ridge::tune
