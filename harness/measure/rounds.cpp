#include "harness/measure/rounds.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "harness/measure/statistics.h"

namespace ridge::measure {

namespace {

// The host's clock runs from before the first event to after the synchronisation, so it is always the longer
// one. Longer by more than a launch and a synchronisation cost, it saw work that the events did not.
bool disputed(double device_ms, double host_ms) {
  return host_ms > 1.5 * device_ms + 0.2 || device_ms > host_ms * 1.01 + 0.01;
}

}  // namespace

int rotating_sets(double set_bytes, int64_t l2_bytes) {
  double wanted = std::ceil(3 * static_cast<double>(l2_bytes) / std::max(set_bytes, 1.0));
  return static_cast<int>(std::clamp(wanted, 2.0, 64.0));
}

std::variant<Timing, runner::Failure> time_rounds(runner::Session& session, const RoundLimits& limits,
                                                  const std::function<bool(int round)>& verify) {
  using Clock = std::chrono::steady_clock;
  auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  auto both = [&](std::vector<double>& medians, Timing& timing) -> std::optional<runner::Failure> {
    medians.clear();
    for (bool student : {true, false}) {
      auto answer = session.round(student);
      if (auto* failure = std::get_if<runner::Failure>(&answer)) return std::move(*failure);
      const auto& run = std::get<runner::RoundRun>(answer);
      medians.push_back(median(run.device_ms));
      double host_ms = median(run.host_ms);
      if (student && disputed(medians[0], host_ms)) timing.dispute = ClockDispute{medians[0], host_ms};
    }
    return std::nullopt;
  };

  Timing timing;
  std::vector<double> medians;
  for (auto start = Clock::now(); seconds_since(start) < limits.warm_up_seconds;)
    if (auto failure = both(medians, timing)) return std::move(*failure);
  timing.dispute.reset();  // the first calls load code

  int disputes = 0;
  auto start = Clock::now();
  for (int round = 0;; ++round) {
    Timing one;
    if (auto failure = both(medians, one)) return std::move(*failure);
    if (one.dispute) {
      ++disputes;
      timing.dispute = one.dispute;
    }
    timing.student_ms.push_back(medians[0]);
    timing.baseline_ms.push_back(medians[1]);
    timing.ratios.push_back(medians[0] > 0 ? medians[1] / medians[0] : 0);
    if (!verify(round)) break;
    double seconds = seconds_since(start);
    if (seconds > limits.most_seconds) break;
    if (round + 1 >= limits.fewest && seconds >= limits.least_seconds &&
        relative_noise(timing.ratios) < limits.noise)
      break;
  }
  // One round that the machine disturbed is no dispute.
  if (2 * disputes < static_cast<int>(timing.ratios.size())) timing.dispute.reset();
  return timing;
}

double floor_ms(double bytes, double operations, double peak_gb_per_s, double peak_tflops) {
  double memory = peak_gb_per_s > 0 ? bytes / (peak_gb_per_s * 1e6) : 0;
  double arithmetic = peak_tflops > 0 ? operations / (peak_tflops * 1e9) : 0;
  return std::max(memory, arithmetic);
}

}  // namespace ridge::measure
