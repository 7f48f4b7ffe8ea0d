#include "harness/measure/rounds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "harness/measure/statistics.h"

namespace ridge::measure {

namespace {

using runner::Failure;
using runner::PassRun;

constexpr double kDroppedClock = 0.95, kSteadyClock = 0.98;
constexpr size_t kSteadyReadings = 8;  // at most
constexpr double kSteadySeconds = 0.5;
constexpr int kUngatedEvery = 3;  // in rounds
constexpr double kUnseenRoomMs = 0.1;
// How much the mean of a round's calls may exceed the mean of its middle half. The middle half
// ignores a quarter of the calls, so code that does the work of all calls in one of them must not
// gain by it.
constexpr double kMostUneven = 0.5, kUnevenRoomMs = 0.02;

// Times of one side in one round.
struct Side {
  std::vector<double> device_ms, slack_ms;  // slack: the host's clock minus the device's
  // One value per pass. unseen: our own clock minus the child's time for its calls, that is,
  // placing the buffers and the communication. invented: the part of the child's time that exceeds
  // our own.
  std::vector<double> unseen_ms, invented_ms;
  void add(const PassRun& run) {
    if (run.parent_ms > 0) {
      const double said = std::accumulate(run.host_ms.begin(), run.host_ms.end(), 0.0);
      const double worked = std::accumulate(run.device_ms.begin(), run.device_ms.end(), 0.0);
      unseen_ms.push_back(run.parent_ms - said);
      invented_ms.push_back(std::max(said, worked) - run.parent_ms);
    }
    for (size_t i = 0; i < run.device_ms.size() && i < run.host_ms.size(); ++i) {
      device_ms.push_back(run.device_ms[i]);
      slack_ms.push_back(run.host_ms[i] - run.device_ms[i]);
    }
  }
};

class Measurement {
 public:
  Measurement(const TimingTarget& target, const RoundLimits& limits) : target_(target), limits_(limits) {}

  std::optional<Failure> warm_up() {
    GpuRecord& seen = timing_.gpu;
    if (auto state = target_.state()) {
      seen.watched = true;
      seen.before = *state;
    }
    const double start = target_.seconds();
    double passed = 0;
    std::vector<int> clocks;
    std::vector<double> ratios;
    while (passed < limits_.warm_up_seconds || pair_seconds_ == 0 ||
           ((!ready() || (seen.watched && !steady(clocks))) && passed < limits_.most_warm_up_seconds)) {
      const double before = target_.seconds();
      Side baseline, student;
      if (auto failure = pair(baseline, student, true)) return failure;
      calls_a_pass_ = std::max<size_t>(student.device_ms.size(), 1);
      pair_seconds_ = std::max(target_.seconds() - before, 1e-9);
      if (auto state = target_.state()) clocks.push_back(state->sm_mhz);
      report_warm_up(baseline, student, ratios);
      passed = target_.seconds() - start;
      if (limits_.warm_up_seconds <= 0) break;
    }
    seen.warm_up_seconds = passed;
    seen.steady = seen.watched && steady(clocks);
    return std::nullopt;
  }

  std::optional<Failure> round() {
    lowest_mhz_ = 0;
    reasons_ = 0;
    Side baseline, student, second;
    look();
    if (static_cast<int>(rounds_.size()) % kUngatedEvery == 0) {
      Side slow_baseline, slow_student;
      if (auto failure = pair(slow_baseline, slow_student, false)) return failure;
      ungated_.push_back({midmean(slow_student.device_ms), midmean(slow_baseline.device_ms)});
    }
    for (int pass = 0; pass < passes(); ++pass) {
      if (auto failure = pass_of_second(second)) return failure;
      if (auto failure = pair(baseline, student, true)) return failure;
      look();
    }
    rounds_.push_back({midmean(student.device_ms), midmean(baseline.device_ms), lowest_mhz_, reasons_,
                       midmean(second.device_ms)});
    excess_ms_.push_back(excess(student) - std::max(excess(baseline), 0.0));
    const double student_slack = median(student.slack_ms), baseline_slack = median(baseline.slack_ms);
    if (auto outside = check_child_clock(baseline, student)) {
      ++disputes_;
      dispute_ = *outside;
      return std::nullopt;
    }
    // For both sides the host's clock starts before the first event and stops after the
    // synchronisation. Additional time on the student's side is work that the events did not cover.
    const double device_ms = rounds_.back().student_ms;
    if (student_slack > baseline_slack + 0.015 + 0.02 * device_ms ||
        student_slack < -0.01 * device_ms - 0.01) {
      ++disputes_;
      dispute_ = ClockDispute{device_ms, device_ms + student_slack - std::max(baseline_slack, 0.0)};
    }
    return std::nullopt;
  }

  Estimate known(double measured_seconds) const {
    const std::vector<double> ratios = result().ratios;
    const Estimate estimate{median(ratios), relative_noise(ratios), static_cast<int>(ratios.size()),
                            measured_seconds};
    if (target_.on_estimate) target_.on_estimate(estimate);
    return estimate;
  }

  Timing finish() {
    if (auto state = target_.state()) timing_.gpu.after = *state;
    return result();
  }

 private:
  static double excess(const Side& side) {
    const double sum = std::accumulate(side.device_ms.begin(), side.device_ms.end(), 0.0);
    return sum / std::max<double>(1, static_cast<double>(side.device_ms.size())) - midmean(side.device_ms);
  }

  bool ready() const { return !target_.ready || target_.ready(); }

  // Use the latest pairs: the first ones ran at another clock frequency.
  void report_warm_up(const Side& baseline, const Side& student,
                      std::vector<double>& ratios) const {
    constexpr size_t kNewest = 8, kFewest = 3;
    const double student_ms = midmean(student.device_ms);
    if (student_ms > 0) ratios.push_back(midmean(baseline.device_ms) / student_ms);
    if (ratios.size() > kNewest) ratios.erase(ratios.begin());
    if (target_.on_estimate && ratios.size() >= kFewest)
      target_.on_estimate({median(ratios), relative_noise(ratios), 0, 0});
  }

  // Few readings suffice when calls are slow: they must cover at least half a second.
  size_t readings_of_a_steady_clock() const {
    const double wanted = std::ceil(kSteadySeconds / std::max(pair_seconds_, 1e-9));
    return static_cast<size_t>(std::clamp(wanted, 3.0, static_cast<double>(kSteadyReadings)));
  }

  bool steady(const std::vector<int>& clocks) const {
    const size_t readings = readings_of_a_steady_clock();
    if (clocks.size() < readings) return false;
    const auto [low, high] =
        std::minmax_element(clocks.end() - static_cast<std::ptrdiff_t>(readings), clocks.end());
    return *low >= kSteadyClock * *high;
  }

  std::optional<Failure> pair(Side& baseline, Side& student, bool gated) {
    for (bool is_student : {false, true}) {
      auto answer = target_.pass(is_student, gated);
      if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
      (is_student ? student : baseline).add(std::get<PassRun>(answer));
    }
    return std::nullopt;
  }

  std::optional<Failure> pass_of_second(Side& second) {
    if (!target_.pass_of_second) return std::nullopt;
    auto answer = target_.pass_of_second();
    if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
    second.add(std::get<PassRun>(answer));
    return std::nullopt;
  }

  // The passes of both sides differ only in the calls, so the time that the child does not account
  // for is equal. If it is longer with the student's calls, the child's clocks were manipulated to
  // show less; if the child reports more time than has passed, to show more.
  std::optional<ClockDispute> check_child_clock(const Side& baseline, const Side& student) const {
    if (student.unseen_ms.empty() || baseline.unseen_ms.empty()) return std::nullopt;
    const double calls = static_cast<double>(calls_a_pass_), device_ms = rounds_.back().student_ms;
    const double usual = median(baseline.unseen_ms), unseen = median(student.unseen_ms);
    const double room = kUnseenRoomMs + 0.02 * std::max(usual, 0.0) + calls * (0.015 + 0.02 * device_ms);
    const bool invented = std::max(median(student.invented_ms), median(baseline.invented_ms)) > kUnseenRoomMs;
    if (!invented && unseen <= usual + room) return std::nullopt;
    return ClockDispute{device_ms, device_ms + (unseen - usual) / calls, true};
  }

  // Enough passes for the required number of calls, limited by the time when a call is slow.
  int passes() const {
    const double wanted = std::ceil(limits_.calls / static_cast<double>(calls_a_pass_));
    const double fit = limits_.usual_seconds / limits_.fewest / pair_seconds_;
    return static_cast<int>(std::max(1.0, std::min(wanted, std::floor(fit))));
  }

  void look() {
    const auto state = target_.state();
    if (!state) return;
    lowest_mhz_ = lowest_mhz_ == 0 ? state->sm_mhz : std::min(lowest_mhz_, state->sm_mhz);
    reasons_ |= state->reasons;
    GpuRecord& seen = timing_.gpu;
    seen.watched = true;
    seen.reasons |= state->reasons;
    seen.temperature_c = std::max(seen.temperature_c, state->temperature_c);
    seen.power_w = std::max(seen.power_w, state->power_w);
  }

  Timing result() const {
    Timing timing = timing_;
    const std::vector<bool> counts = rounds_that_count(rounds_, limits_.fewest);
    std::vector<double> clocks;
    for (size_t i = 0; i < rounds_.size(); ++i) {
      if (!counts[i]) {
        ++timing.discarded;
        continue;
      }
      add(timing, rounds_[i].student_ms, rounds_[i].baseline_ms);
      if (rounds_[i].second_ms > 0) {
        timing.second_ms.push_back(rounds_[i].second_ms);
        timing.second_ratios.push_back(rounds_[i].student_ms > 0 ? rounds_[i].second_ms / rounds_[i].student_ms : 0);
      }
      if (rounds_[i].sm_mhz > 0) clocks.push_back(rounds_[i].sm_mhz);
      timing.throttled |= (rounds_[i].reasons & kSlowedDown) != 0;
    }
    if (!clocks.empty()) {
      timing.gpu.sm_mhz_low = static_cast<int>(*std::min_element(clocks.begin(), clocks.end()));
      timing.gpu.sm_mhz = static_cast<int>(median(clocks));
      timing.gpu.sm_mhz_high = static_cast<int>(*std::max_element(clocks.begin(), clocks.end()));
    }
    prefer_ungated_if_slower(timing);
    // The two clocks may differ in a disturbed round; half of the rounds must differ.
    if (2 * disputes_ >= static_cast<int>(rounds_.size())) timing.dispute = dispute_;
    const double usual = median(timing.student_ms), more = median(excess_ms_);
    if (more > kMostUneven * usual + kUnevenRoomMs) timing.uneven = Unevenness{usual, usual + more};
    return timing;
  }

  static void add(Timing& timing, double student_ms, double baseline_ms) {
    timing.student_ms.push_back(student_ms);
    timing.baseline_ms.push_back(baseline_ms);
    timing.ratios.push_back(student_ms > 0 ? baseline_ms / student_ms : 0);
  }

  void prefer_ungated_if_slower(Timing& timing) const {
    std::vector<double> student, baseline;
    for (const auto& [student_ms, baseline_ms] : ungated_) {
      student.push_back(student_ms);
      baseline.push_back(baseline_ms);
    }
    if (student.size() < 3) return;
    const double gated_ms = median(timing.student_ms);
    const double gain = median(student) - gated_ms;
    const double usual = std::max(0.0, median(baseline) - median(timing.baseline_ms));
    const double noise = 3 * gated_ms * (relative_noise(timing.student_ms) + relative_noise(student));
    if (gain <= usual + 0.006 + 0.02 * gated_ms + noise) return;
    timing.ungated = true;
    timing.student_ms.clear();
    timing.baseline_ms.clear();
    timing.ratios.clear();
    for (const auto& [student_ms, baseline_ms] : ungated_)
      add(timing, student_ms, baseline_ms);
    // The second baseline has gated passes only; it is compared with the times that count.
    for (size_t i = 0; i < timing.second_ms.size(); ++i)
      timing.second_ratios[i] = timing.second_ms[i] / median(timing.student_ms);
  }

  const TimingTarget& target_;
  const RoundLimits& limits_;
  Timing timing_;
  std::vector<Round> rounds_;
  std::vector<std::pair<double, double>> ungated_;  // student, baseline
  std::vector<double>
      excess_ms_;  // one per round: mean of the student's calls minus their interquartile mean
  size_t calls_a_pass_ = 1;
  double pair_seconds_ = 0;
  int lowest_mhz_ = 0, disputes_ = 0;
  uint64_t reasons_ = 0;
  ClockDispute dispute_;
};

}  // namespace

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int rotating_sets(double set_bytes, int64_t l2_bytes) {
  double wanted = std::ceil(3 * static_cast<double>(l2_bytes) / std::max(set_bytes, 1.0));
  return static_cast<int>(std::clamp(wanted, 2.0, 64.0));
}

std::vector<bool> rounds_that_count(const std::vector<Round>& rounds, int fewest) {
  std::vector<double> clocks;
  for (const Round& round : rounds)
    if (round.sm_mhz > 0) clocks.push_back(round.sm_mhz);
  const double usual = median(clocks);
  std::vector<bool> counts;
  for (const Round& round : rounds)
    counts.push_back(!(round.reasons & kSlowedDown) &&
                     (round.sm_mhz == 0 || round.sm_mhz >= kDroppedClock * usual));
  if (std::count(counts.begin(), counts.end(), true) <
      std::min<int64_t>(fewest, static_cast<int64_t>(rounds.size())))
    counts.assign(rounds.size(), true);
  return counts;
}

std::variant<Timing, Failure> time_rounds(const TimingTarget& target, const RoundLimits& limits,
                                          const std::function<bool(int round)>& verify,
                                          const StoppingRule* rule) {
  StopByNoise by_noise;
  by_noise.noise = limits.noise;
  by_noise.fewest_rounds = limits.fewest;
  by_noise.least_seconds = limits.least_seconds;
  by_noise.most_seconds = limits.most_seconds;
  if (!rule) rule = &by_noise;
  Measurement measurement(target, limits);
  if (auto failure = measurement.warm_up()) return std::move(*failure);
  double measured = 0;
  for (int round = 0;; ++round) {
    const double start = target.seconds();
    if (auto failure = measurement.round()) return std::move(*failure);
    measured += target.seconds() - start;
    const Estimate known = measurement.known(measured);
    if (!verify(round) || rule->enough(known)) break;
  }
  return measurement.finish();
}

double floor_ms(double bytes, double operations, double peak_gb_per_s, double peak_tflops) {
  double memory = peak_gb_per_s > 0 ? bytes / (peak_gb_per_s * 1e6) : 0;
  double arithmetic = peak_tflops > 0 ? operations / (peak_tflops * 1e9) : 0;
  return std::max(memory, arithmetic);
}

}  // namespace ridge::measure
