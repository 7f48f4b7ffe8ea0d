// A tuning from its candidates to its answer. What measures is handed in: a GPU, or a test's made-up one.
#pragma once

#include "harness/tune/candidates.h"
#include "harness/tune/search.h"

namespace ridge::tune {

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
  bool by_search = true;  // false: measured only because all were
  bool right() const { return measurement.failure.empty(); }
};

// How far the search's best is from the best there is, when everything was measured.
struct Proof {
  size_t best = 0;         // the candidate
  double gap_percent = 0;  // of the search that was made: 0 is none
  size_t starts = 0;       // the same search replayed on these figures from each candidate
  size_t within_2_percent = 0;
  double median_gap_percent = 0, worst_gap_percent = 0;
};

struct Tuning {
  std::vector<Candidate> candidates;
  std::vector<size_t> measurable;  // not pruned
  std::vector<Tried> tried;        // in the order of measuring
  bool interrupted = false;
  std::optional<Proof> proof;
  std::vector<const Tried*> ranked() const;  // right ones, best first
  size_t count(Pruned pruned) const;
};

struct TuningWish {
  int most_tries = kMostTries;
  bool exhaustive = false;
  Values current;  // the file's own: where the search begins
  const std::atomic<bool>* stop = nullptr;
};

// The order in which the search would begin, before anything is measured.
std::vector<size_t> first_choices(const Tuning& tuning, const Values& current, size_t count);

// Measures into tuning.tried what the search proposes; then, when exhaustive, all others, and the proof.
void carry_out(Tuning& tuning, const TuningWish& wish, const Measure& measure);

// Of what was measured right, `percents` beside it.
Proof prove(const std::vector<Candidate>& candidates, const std::vector<size_t>& right,
            const std::vector<double>& percents, double found_percent, int most_tries);

}  // namespace ridge::tune
