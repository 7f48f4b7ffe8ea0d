// Decides when enough rounds were measured.
#pragma once

namespace ridge::measure {

// The estimate after some rounds.
struct Estimate {
  double ratio = 0;    // median of baseline / student
  double noise = 1;    // its relative uncertainty (relative_noise)
  int rounds = 0;      // rounds that count; 0: from the warm-up
  double seconds = 0;  // duration of measuring
};

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  virtual bool enough(const Estimate& known) const = 0;
};

// Stops when the median is known to `noise`, after at least `fewest_rounds` and `least_seconds`, or
// at `most_seconds`.
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
