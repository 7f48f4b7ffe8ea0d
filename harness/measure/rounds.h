// Times student and baseline in alternation on a GPU.
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
         most_seconds = 15;         // of measuring; checking answers in between does not count
  // Stop when the median ratio is known with this relative precision.
  double noise = 0.005;
  double most_warm_up_seconds = 5;  // for a clock that does not settle
  // With slow calls the minimum number of rounds should not take longer: a round then has fewer
  // calls.
  double usual_seconds = 2;
  int calls = 16;                   // minimum per side and round
};

// The interfaces of a measurement: the two functions in the child, the GPU's state, and a clock.
// Tests provide scripted ones.
struct TimingTarget {
  // Makes one call per slot.
  std::function<std::variant<runner::PassRun, runner::Failure>(bool student, bool gated)> pass;
  // The same of a second baseline, gated; empty: there is none.
  std::function<std::variant<runner::PassRun, runner::Failure>()> pass_of_second = {};
  std::function<std::optional<GpuState>()> state;  // current state of the GPU
  std::function<double()> seconds;                 // a clock
  // True when the host has finished work that would disturb the rounds. The warm-up continues until
  // then, for at most most_warm_up_seconds. Empty: always true.
  std::function<bool()> ready = {};
  // Receives the current estimate: after some pairs of the warm-up and after every round. May be
  // empty.
  std::function<void(const Estimate&)> on_estimate = {};
};
double host_seconds();  // a monotonic clock

// Two clocks that disagree: work was still running, or ran on another stream, when the event was
// recorded; or, compared with our own clock outside the child, the child's clocks are manipulated.
struct ClockDispute {
  double device_ms = 0, host_ms = 0;
  bool outside = false;
};

// The GPU's state during timing.
struct GpuRecord {
  bool watched = false;  // false: NVML did not answer
  std::string why_not;
  GpuState before, after;  // before: at the warm-up; after: at the last round
  double warm_up_seconds = 0;
  bool steady = false;                              // the clock had settled when the warm-up ended
  // Minimum, median and maximum of the rounds that count.
  int sm_mhz_low = 0, sm_mhz = 0, sm_mhz_high = 0;
  int temperature_c = 0;                            // maximum
  double power_w = 0;                               // maximum
  uint64_t reasons = 0;                             // all reasons seen
};

// In every round a few calls take far longer than the others, as if they did the others' work.
struct Unevenness {
  double usual_ms = 0, mean_ms = 0;
};

struct Timing {
  std::vector<double> student_ms, baseline_ms;  // per round: the interquartile mean of its calls
  std::vector<double> ratios;                   // baseline / student
  std::vector<double> second_ms, second_ratios;  // the same of the second baseline; empty: none
  std::optional<ClockDispute> dispute;
  std::optional<Unevenness> uneven;
  int discarded = 0;       // rounds in which the clock dropped
  bool throttled = false;  // the clock dropped in so many that all were kept
  // The function keeps the host busy before it queues its work, or does work while the gate hides
  // it. The passes without a gate then count, in which the host's pace is visible.
  bool ungated = false;
  GpuRecord gpu;
};

// The number of sets of `set_bytes` that exceed three times the L2: at least 2, at most 64.
int rotating_sets(double set_bytes, int64_t l2_bytes);

// Warms up until the clock is steady, then alternates rounds (B A B A; with a second baseline S B A
// S B A) until `rule`, or the rule that follows from the limits, is satisfied. A round ends with the student's pass; `verify` may
// then check the buffers, and a returned failure ends the measurement.
std::variant<Timing, runner::Failure> time_rounds(const TimingTarget& target, const RoundLimits& limits,
                                                  const std::function<bool(int round)>& verify,
                                                  const StoppingRule* rule = nullptr);

// One round as measured. `sm_mhz` is the lowest clock seen in it; 0: not read.
struct Round {
  double student_ms = 0, baseline_ms = 0;
  int sm_mhz = 0;
  uint64_t reasons = 0;
  double second_ms = 0;  // 0: there is no second baseline
};
// The rounds that count: excludes rounds whose clock was more than 5% below the median of all
// rounds, and those in which the GPU protected itself. Includes all when fewer than `fewest` would
// remain.
std::vector<bool> rounds_that_count(const std::vector<Round>& rounds, int fewest);

// A lower bound on the time in ms: bytes / peak bandwidth or operations / peak rate, whichever is
// longer; 0 when neither is known.
double floor_ms(double bytes, double operations, double peak_gb_per_s, double peak_tflops);

}  // namespace ridge::measure
