// When enough rounds were measured.
#pragma once

namespace ridge::measure {

// What is known after some rounds.
struct Estimate {
  double ratio = 0;    // the median of baseline over student
  double noise = 1;    // how well it is known, relative to it (relative_noise)
  int rounds = 0;      // that count; 0: from the warm-up
  double seconds = 0;  // of measuring
};

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  virtual bool enough(const Estimate& known) const = 0;
};

// Stops when the median is known to `noise`, after at least `fewest_rounds` and `least_seconds`; at
// `most_seconds` in any case.
struct StopByNoise : StoppingRule {
  double noise = 0.005;
  int fewest_rounds = 7;
  double least_seconds = 0.5, most_seconds = 15;
  bool enough(const Estimate& known) const override {
    if (known.seconds > most_seconds) return true;
    return known.rounds >= fewest_rounds && known.seconds >= least_seconds && known.noise < noise;
  }
};

}  // namespace ridge::measure
