// Student and baseline, turn by turn, on a GPU.
#pragma once

#include <functional>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/runner/session.h"

namespace ridge::measure {

struct RoundLimits {
  double warm_up_seconds = 1;
  int fewest = 7;
  double least_seconds = 0.5, most_seconds = 15;
  double noise = 0.005;  // stop when the median ratio is known this well
};

// A clock that disagrees: work was left running, or on another stream, when the event was recorded.
struct ClockDispute {
  double device_ms = 0, host_ms = 0;
};

struct Timing {
  std::vector<double> student_ms, baseline_ms;  // one a round: the median of its calls
  std::vector<double> ratios;                   // baseline over student
  std::optional<ClockDispute> dispute;
};

// How many sets of buffers of `set_bytes` must rotate to exceed three times the L2: at least 2, at most 64.
int rotating_sets(double set_bytes, int64_t l2_bytes);

// Warms up, then rounds A B A B. After a round `verify` may look at the buffers; what it returns ends the
// measuring. Session::prepare has been called.
std::variant<Timing, runner::Failure> time_rounds(runner::Session& session, const RoundLimits& limits,
                                                  const std::function<bool(int round)>& verify);

// The shortest time the work can take: bytes over peak bandwidth, operations over peak rate, whichever is
// longer; 0 where neither is known. In ms.
double floor_ms(double bytes, double operations, double peak_gb_per_s, double peak_tflops);

}  // namespace ridge::measure
