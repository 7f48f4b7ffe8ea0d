// The rounds with made-up times, clocks and a made-up GPU: the stop rule, the warm-up, what is thrown away.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/measure/rounds.h"
#include "harness/measure/statistics.h"
#include "tests/catch.h"

using namespace ridge;
using measure::GpuState;

namespace {

// A GPU on which a call of the baseline takes 1 ms and one of the student's 2, unless a test says otherwise.
struct MadeUp {
  double now = 0;  // seconds
  int passes = 0, ungated_passes = 0;
  double slots = 4;
  double noise = 0;        // relative, from pass to pass of the student's
  double slack_ms = 0.02;  // host beyond device
  double student_slack_ms = 0.02;
  double hidden_ms = 0;    // of the student's time, when gated
  double around_ms = 3;    // what a pass takes beside its calls, by the clock outside; 0: nobody looks
  double works_ahead = 0;  // the part of the student's later calls in a pass that its first one does
  double student_hides_ms = 0, baseline_invents_ms = 0;  // a call, from both of the child's clocks
  std::function<int(double now)> clock = [](double) { return 1980; };
  std::function<uint64_t(double now)> reasons = [](double) { return uint64_t{0}; };

  measure::TimingTarget target() {
    measure::TimingTarget target;
    target.pass = [this](bool student, bool gated) -> std::variant<runner::PassRun, runner::Failure> {
      ++passes;
      ungated_passes += !gated;
      double ms = student ? 2 * (1 + noise * std::sin(passes * passes * 0.7)) : 1;
      ms *= 1980.0 / clock(now);
      if (student && gated) ms -= hidden_ms;
      now += slots * ms / 1e3;
      runner::PassRun run;
      for (int i = 0; i < slots; ++i) {
        const double lie = student ? -student_hides_ms : baseline_invents_ms;
        if (i == 0 && around_ms > 0) run.parent_ms = around_ms;
        if (around_ms > 0) run.parent_ms += ms + (student ? student_slack_ms : slack_ms);
        const double moved = student ? (i == 0 ? (slots - 1) * works_ahead * ms : -works_ahead * ms) : 0;
        run.device_ms.push_back(ms + moved + lie);
        run.host_ms.push_back(ms + moved + lie + (student ? student_slack_ms : slack_ms));
      }
      return run;
    };
    target.state = [this]() -> std::optional<GpuState> {
      GpuState state;
      state.sm_mhz = clock(now);
      state.power_w = 300;
      state.temperature_c = 40;
      state.reasons = reasons(now);
      return state;
    };
    target.seconds = [this] { return now; };
    return target;
  }

  measure::Timing time(measure::RoundLimits limits = {}) {
    const measure::TimingTarget made = target();
    auto answer = measure::time_rounds(made, limits, [](int) { return true; });
    REQUIRE(std::holds_alternative<measure::Timing>(answer));
    return std::get<measure::Timing>(answer);
  }
};

}  // namespace

TEST_CASE("a second baseline runs in the same rounds, and the score is that of the first") {
  MadeUp gpu;
  measure::TimingTarget target = gpu.target();
  int passes_of_second = 0;
  target.pass_of_second = [&]() -> std::variant<runner::PassRun, runner::Failure> {
    ++passes_of_second;
    gpu.now += 0.02;
    return runner::PassRun{{5, 5, 5, 5}, {5.02, 5.02, 5.02, 5.02}, 23.08};
  };
  const measure::RoundLimits limits;
  auto answer = measure::time_rounds(target, limits, [](int) { return true; });
  REQUIRE(std::holds_alternative<measure::Timing>(answer));
  const auto& timing = std::get<measure::Timing>(answer);
  CHECK(passes_of_second >= static_cast<int>(timing.ratios.size()));
  REQUIRE(timing.second_ratios.size() == timing.ratios.size());
  CHECK(measure::median(timing.second_ratios) == Approx(2.5));
  CHECK(measure::median(timing.second_ms) == Approx(5));
  CHECK(measure::median(timing.ratios) == Approx(0.5));
  CHECK(gpu.time().second_ratios.empty());
}

TEST_CASE("times without noise stop after the shortest time and the fewest rounds") {
  MadeUp gpu;
  const measure::Timing timing = gpu.time();
  CHECK(timing.ratios.size() >= 7);
  for (double ratio : timing.ratios)
    CHECK(ratio == Approx(0.5));
  CHECK(gpu.now > 1.5);  // 1 s to warm up, 0.5 s of rounds
  CHECK(gpu.now < 1.8);
  CHECK(timing.gpu.steady);
  CHECK(timing.gpu.sm_mhz == 1980);
  CHECK(timing.discarded == 0);
  CHECK_FALSE(timing.dispute);
  CHECK_FALSE(timing.ungated);
  CHECK(gpu.ungated_passes > 0);
}

TEST_CASE("estimates arrive in order: the warm-up's ratio first, then one per round, never less exact") {
  MadeUp gpu;
  std::vector<measure::Estimate> estimates;
  measure::TimingTarget target = gpu.target();
  target.on_estimate = [&](const measure::Estimate& known) { estimates.push_back(known); };
  const auto answer = measure::time_rounds(target, {}, [](int) { return true; });
  const auto& timing = std::get<measure::Timing>(answer);
  REQUIRE(estimates.size() > timing.ratios.size());
  CHECK(estimates.front().rounds == 0);
  int rounds = 0;
  double seconds = 0;
  for (const measure::Estimate& known : estimates) {
    CHECK(known.ratio == Approx(0.5));
    CHECK(known.rounds >= rounds);
    CHECK(known.rounds <= rounds + 1);
    CHECK(known.seconds >= seconds);
    rounds = known.rounds;
    seconds = known.seconds;
  }
  CHECK(rounds == static_cast<int>(timing.ratios.size()));
}

TEST_CASE("the first estimate arrives in the warm-up, long before the rounds are over") {
  MadeUp gpu;
  std::optional<double> first_s, first_round_s;
  measure::TimingTarget target = gpu.target();
  target.on_estimate = [&](const measure::Estimate& known) {
    if (!first_s) first_s = gpu.now;
    if (known.rounds > 0 && !first_round_s) first_round_s = gpu.now;
  };
  measure::time_rounds(target, {}, [](int) { return true; });
  REQUIRE(first_s);
  REQUIRE(first_round_s);
  CHECK(*first_s < 0.1);
  CHECK(*first_round_s < 1.2);
}

TEST_CASE("the warm-up continues while the host is not ready, but not forever") {
  for (const double ready_at : {0.2, 2.5, 100.0}) {
    MadeUp gpu;
    measure::TimingTarget target = gpu.target();
    target.ready = [&] { return gpu.now >= ready_at; };
    const auto answer = measure::time_rounds(target, {}, [](int) { return true; });
    const double warm_up = std::get<measure::Timing>(answer).gpu.warm_up_seconds;
    CHECK(warm_up == Approx(std::clamp(ready_at, 1.0, 5.0)).margin(0.05));
  }
}

TEST_CASE("by noise: it stops when the median is known, after the fewest rounds and the least "
          "time") {
  measure::StopByNoise rule;  // 0.5%, 7 rounds, 0.5 s to 15 s
  struct Row {
    double noise;
    int rounds;
    double seconds;
    bool enough;
  };
  for (const Row& row : {Row{0.004, 7, 0.6, true}, Row{0.006, 7, 0.6, false}, Row{0.004, 6, 0.6, false},
                         Row{0.004, 7, 0.4, false}, Row{1, 2, 15.1, true}, Row{1, 100, 14.9, false}}) {
    CAPTURE(row.noise, row.rounds, row.seconds);
    CHECK(rule.enough({0.5, row.noise, row.rounds, row.seconds}) == row.enough);
  }
}

TEST_CASE("another stopping rule is used if it is given") {
  struct AfterThree : measure::StoppingRule {
    bool enough(const measure::Estimate& known) const override { return known.rounds == 3; }
  };
  MadeUp gpu;
  const AfterThree rule;
  const measure::TimingTarget target = gpu.target();
  const auto answer = measure::time_rounds(target, {}, [](int) { return true; }, &rule);
  CHECK(std::get<measure::Timing>(answer).ratios.size() == 3);
}

TEST_CASE("rounds of slow calls have fewer passes, so that the fewest rounds take a few seconds") {
  MadeUp slow;
  slow.slots = 100;  // 0.3 s for a pass of both
  slow.time();
  CHECK(slow.now < 6);
  MadeUp fast;
  fast.slots = 2;
  measure::RoundLimits limits;
  const measure::Timing timing = fast.time(limits);
  CHECK(fast.passes >= 2 * 8 * static_cast<int>(timing.ratios.size()));  // 16 calls of each side in a round
}

TEST_CASE("noise that does not settle stops at the longest time") {
  MadeUp gpu;
  gpu.noise = 0.3;
  measure::RoundLimits limits;
  limits.calls = 1;  // one pass a round, so that rounds differ
  limits.noise = 1e-6;
  limits.most_seconds = 3;
  gpu.time(limits);
  CHECK(gpu.now > 4);
  CHECK(gpu.now < 4.5);
}

TEST_CASE("slow calls are timed in the fewest rounds, of one pass each, even after the time "
          "limit") {
  MadeUp gpu;
  gpu.slots = 2000;  // 6 s for a pass of both
  measure::RoundLimits limits;
  const measure::Timing timing = gpu.time(limits);
  CHECK(timing.ratios.size() >= 2);
  CHECK(timing.ratios.front() == Approx(0.5));
  CHECK(gpu.now < 60);
}

TEST_CASE("the warm-up waits for a rising clock, up to a limit") {
  MadeUp climbing;
  climbing.clock = [](double now) { return now < 2 ? static_cast<int>(1000 + 490 * now) : 1980; };
  CHECK(climbing.time().gpu.steady);
  CHECK(climbing.time().gpu.warm_up_seconds >= 1);
  MadeUp first;
  first.clock = climbing.clock;
  CHECK(first.time().gpu.warm_up_seconds > 1.9);
  MadeUp restless;
  restless.clock = [](double now) { return static_cast<int>(now * 100) % 2 ? 1980 : 1200; };
  const measure::Timing timing = restless.time();
  CHECK_FALSE(timing.gpu.steady);
  CHECK(timing.gpu.warm_up_seconds >= 5);
  CHECK(timing.gpu.warm_up_seconds < 5.1);
}

TEST_CASE("rounds with a clock drop are discarded and counted") {
  MadeUp gpu;
  gpu.clock = [](double now) { return now > 1.2 && now < 1.3 ? 1200 : 1980; };
  const measure::Timing timing = gpu.time();
  CHECK(timing.discarded > 0);
  CHECK(timing.gpu.sm_mhz_low == 1980);
  CHECK_FALSE(timing.throttled);
  for (double ms : timing.student_ms)
    CHECK(ms == Approx(2));
}

TEST_CASE("rounds with thermal throttling are discarded, those under the power cap are not") {
  MadeUp hot;
  hot.reasons = [](double now) { return now > 1.2 && now < 1.3 ? uint64_t{0x40} : uint64_t{0}; };
  CHECK(hot.time().discarded > 0);
  MadeUp capped;
  capped.reasons = [](double) { return uint64_t{0x4}; };
  const measure::Timing timing = capped.time();
  CHECK(timing.discarded == 0);
  CHECK(timing.gpu.reasons == 0x4);
}

TEST_CASE("a GPU that is throttled throughout is timed, and the record says so") {
  MadeUp gpu;
  gpu.reasons = [](double) { return uint64_t{0x20}; };
  const measure::Timing timing = gpu.time();
  CHECK(timing.discarded == 0);
  CHECK(timing.throttled);
  CHECK(timing.ratios.size() >= 7);
}

TEST_CASE("work that only the host's clock measures is disputed, slack on both sides is not") {
  MadeUp gpu;
  gpu.student_slack_ms = 0.02 + 0.015 + 0.02 * 2 + 0.01;
  const measure::Timing timing = gpu.time();
  REQUIRE(timing.dispute);
  CHECK(timing.dispute->device_ms == Approx(2));
  CHECK(timing.dispute->host_ms > 2.05);
  MadeUp slow_host;
  slow_host.slack_ms = slow_host.student_slack_ms = 3;
  CHECK_FALSE(slow_host.time().dispute);
}

TEST_CASE("a child whose clocks agree with each other but not with the outer clock is disputed") {
  for (const double around : {0.3, 3.0, 40.0}) {
    MadeUp honest;
    honest.around_ms = around;
    CHECK_FALSE(honest.time().dispute);
    MadeUp half;  // shows 1 ms of 2
    half.around_ms = around;
    half.student_hides_ms = 1;
    const measure::Timing timing = half.time();
    REQUIRE(timing.dispute);
    CHECK(timing.dispute->outside);
    CHECK(timing.dispute->device_ms == Approx(1));
    CHECK(timing.dispute->host_ms == Approx(2));
    MadeUp little;  // within what a busy host is worth
    little.around_ms = around;
    little.student_hides_ms = 0.02;
    CHECK_FALSE(little.time().dispute);
  }
  MadeUp unwatched;
  unwatched.around_ms = 0;
  unwatched.student_hides_ms = 1;
  CHECK_FALSE(unwatched.time().dispute);
  MadeUp inventive;  // says that the library took more time than there was
  inventive.baseline_invents_ms = 2;
  REQUIRE(inventive.time().dispute);
  CHECK(inventive.time().dispute->outside);
}

TEST_CASE("events that report more time than passed on the host are disputed") {
  MadeUp gpu;
  gpu.slack_ms = gpu.student_slack_ms = -0.5;
  CHECK(gpu.time().dispute);
}

TEST_CASE("for time that a gate hides the passes without a gate count") {
  MadeUp gpu;
  gpu.hidden_ms = 0.2;
  const measure::Timing timing = gpu.time();
  CHECK(timing.ungated);
  for (double ratio : timing.ratios)
    CHECK(ratio == Approx(0.5));
  gpu.hidden_ms = 1;
  measure::TimingTarget target = gpu.target();
  target.pass_of_second = [&]() -> std::variant<runner::PassRun, runner::Failure> {
    gpu.now += 0.02;
    return runner::PassRun{{5, 5, 5, 5}, {5.02, 5.02, 5.02, 5.02}, 23.08};
  };
  const auto answer = measure::time_rounds(target, {}, [](int) { return true; });
  const auto& second = std::get<measure::Timing>(answer);
  CHECK(second.ungated);
  CHECK(measure::median(second.second_ratios) == Approx(2.5));
  MadeUp little;
  little.hidden_ms = 0.01;  // within what the host's pace is worth
  CHECK_FALSE(little.time().ungated);
}

TEST_CASE("a failed verification ends the rounds, and an error is returned") {
  MadeUp gpu;
  measure::TimingTarget target = gpu.target();
  int verified = 0;
  auto answer = measure::time_rounds(target, {}, [&](int) { return ++verified < 3; });
  CHECK(std::get<measure::Timing>(answer).ratios.size() == 3);
  target.pass = [](bool, bool) -> std::variant<runner::PassRun, runner::Failure> {
    runner::Failure failure;
    failure.text = "gone";
    return failure;
  };
  auto failed = measure::time_rounds(target, {}, [](int) { return true; });
  REQUIRE(std::holds_alternative<runner::Failure>(failed));
  CHECK(std::get<runner::Failure>(failed).text == "gone");
}

TEST_CASE("without NVML no round is discarded") {
  MadeUp gpu;
  measure::TimingTarget target = gpu.target();
  target.state = [] { return std::optional<GpuState>(); };
  auto answer = measure::time_rounds(target, {}, [](int) { return true; });
  const auto& timing = std::get<measure::Timing>(answer);
  CHECK_FALSE(timing.gpu.watched);
  CHECK(timing.discarded == 0);
  CHECK(timing.ratios.size() >= 7);
}

TEST_CASE(
    "a call that does the work of later calls is detected although the middle half does "
          "not include it") {
  MadeUp gpu;
  gpu.slots = 8;
  gpu.works_ahead = 0.5;
  const measure::Timing ahead = gpu.time();
  CHECK(measure::median(ahead.student_ms) == Approx(1));  // of 2
  REQUIRE(ahead.uneven);
  CHECK(ahead.uneven->mean_ms == Approx(2));
  MadeUp honest;
  honest.slots = 8;
  honest.noise = 0.2;
  honest.works_ahead = 0.1;  // a first call that takes 1.7 times as long as the others
  CHECK_FALSE(honest.time().uneven);
}
