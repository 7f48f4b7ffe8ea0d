// Student and baseline, turn by turn, on a GPU.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/measure/gpu_monitor.h"
#include "harness/measure/stopping.h"
#include "harness/runner/session.h"

namespace ridge::measure {

struct RoundLimits {
  double warm_up_seconds = 1;
  int fewest = 7;
  double least_seconds = 0.5,
         most_seconds = 15;         // of measuring; looking at the answers in between does not count
  double noise = 0.005;             // stop when the median ratio is known this well
  double most_warm_up_seconds = 5;  // for a clock that does not settle
  // The fewest rounds are to take no longer where calls are slow: a round has fewer of them then.
  double usual_seconds = 2;
  int calls = 16;                   // of each side in a round, at least
};

// What is timed and watched: the two functions in the child, the GPU's state, a clock. Tests script them.
struct TimingTarget {
  // One call for every slot.
  std::function<std::variant<runner::PassRun, runner::Failure>(bool student, bool gated)> pass;
  std::function<std::optional<GpuState>()> state;  // of the GPU, now
  std::function<double()> seconds;                 // a clock
  // Has the host done what would disturb the rounds? The warm-up goes on until then, for most_warm_up_seconds
  // at most. Empty: it has.
  std::function<bool()> ready = {};
  // Called with the current estimate: in the warm-up from a few pairs on, then after each round. May be empty.
  std::function<void(const Estimate&)> on_estimate = {};
};
double host_seconds();  // a clock that only goes forward

// A clock that disagrees: work was left running, or on another stream, when the event was recorded; or, where
// it is our own clock outside the child, the child's clocks do not tell the truth.
struct ClockDispute {
  double device_ms = 0, host_ms = 0;
  bool outside = false;
};

// The GPU while it was timed.
struct GpuRecord {
  bool watched = false;  // false: NVML gave no answer
  std::string why_not;
  GpuState before, after;  // the warm-up, the last round
  double warm_up_seconds = 0;
  bool steady = false;                              // the clock had settled when the warm-up ended
  int sm_mhz_low = 0, sm_mhz = 0, sm_mhz_high = 0;  // of the rounds that count: lowest, median, highest
  int temperature_c = 0;                            // highest
  double power_w = 0;                               // highest
  uint64_t reasons = 0;                             // all that were seen
};

// Calls of which a few take far longer than the others, round after round: as if they did the others' work.
struct Unevenness {
  double usual_ms = 0, mean_ms = 0;
};

struct Timing {
  std::vector<double> student_ms, baseline_ms;  // one per round: the interquartile mean of its calls
  std::vector<double> ratios;                   // baseline over student
  std::optional<ClockDispute> dispute;
  std::optional<Unevenness> uneven;
  int discarded = 0;       // rounds whose clock had dropped
  bool throttled = false;  // so many had that all were kept
  // The function keeps the host busy before its work is queued, or does work where the gate hides it: then
  // what counts are the passes without a gate, in which the host's pace shows.
  bool ungated = false;
  GpuRecord gpu;
};

// How many sets of buffers of `set_bytes` must rotate to exceed three times the L2: at least 2, at most 64.
int rotating_sets(double set_bytes, int64_t l2_bytes);

// Warms up until the clock is steady, then rounds B A B A until the rule that follows from the limits, or
// `rule`, says that they are enough. After a round, which ends with the student's pass,
// `verify` may look at the buffers; what it returns ends the measuring.
std::variant<Timing, runner::Failure> time_rounds(const TimingTarget& target, const RoundLimits& limits,
                                                  const std::function<bool(int round)>& verify,
                                                  const StoppingRule* rule = nullptr);

// One round as it was measured. `sm_mhz` is the lowest clock seen in it, 0 where nobody looked.
struct Round {
  double student_ms = 0, baseline_ms = 0;
  int sm_mhz = 0;
  uint64_t reasons = 0;
};
// Which rounds count: not those whose clock was over 5% under the median of all rounds, nor those in which
// the GPU protected itself. All of them, when fewer than `fewest` would be left.
std::vector<bool> rounds_that_count(const std::vector<Round>& rounds, int fewest);

// The shortest time the work can take: bytes over peak bandwidth, operations over peak rate, whichever is
// longer; 0 where neither is known. In ms.
double floor_ms(double bytes, double operations, double peak_gb_per_s, double peak_tflops);

}  // namespace ridge::measure
