#include "harness/grade/timed.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/grade/gates/bound_reason.h"
#include "harness/grade/timed_sets.h"
#include "harness/measure/statistics.h"
#include "harness/runner/modules.h"
#include "text/numbers.h"
#include "warp_model/device.h"

namespace ridge::grade {

namespace {

constexpr double kFloorRoom = 1.05;  // clocks above the data sheet's, and the resolution of events

void report_progress(const TimedWork& work, const std::string& text) {
  if (work.progress)
    work.progress(fmt::format("timing {}: {}", problems::describe(*work.problem, work.sizes), text));
}

void enter(const TimedWork& work, std::string_view stage) {
  if (work.stages) work.stages->enter(stage);
}

// The amount of work, for rates and roofs.
struct Amount {
  double bytes = 0, operations = 0;
  double written = 0;  // bytes of outputs
  // The type of the operands: decides which units execute the operations.
  problems::Type type = problems::Type::float32;
};

Amount amount_of(const problems::Case& given) {
  double written = 0;
  for (const problems::Buffer& buffer : given.buffers)
    if (buffer.written()) written += static_cast<double>(buffer.bytes());
  return {problems::bytes_moved(given), given.problem->operations(given.sizes), written,
          given.buffers.front().type};
}

std::string baseline_words(const std::string& baseline, const Amount& amount, double time_ms) {
  const double gigabytes = amount.bytes / time_ms / 1e6, gigaflops = amount.operations / time_ms / 1e6;
  const std::string_view words = runner::find_baseline(baseline).words;
  return fmt::format("{}, {}", words, text::work_rate(gigabytes, gigaflops));
}

// Compiles the modules of the child, uploads the sets and prepares the baseline.
std::optional<Outcome> prepare(runner::Session& session, const CaseChecker& checker,
                               const TimedWork& work, TimedSets& sets, Measured& measured) {
  if (!work.modules.missing.empty()) {
    runner::Failure missing;
    missing.stage = runner::Failure::Stage::missing;
    missing.name = runner::find_baseline(work.modules.missing_baseline).words;
    missing.text = work.modules.missing;
    return checker.explain(missing, "when it was to be timed");
  }
  const runner::Preparation preparation{sets.cases(),
                                        work.baseline,
                                        work.modules.timing,
                                        work.modules.baseline,
                                        work.second.name,
                                        work.modules.second,
                                        [&] { enter(work, "baseline and device memory"); },
                                        work.in_a_row,
                                        work.capture};
  auto prepared = session.prepare(preparation);
  if (auto* failure = std::get_if<runner::Failure>(&prepared))
    return checker.explain(*failure, "when it was to be timed");
  measured.library = std::get<runner::BaselineReport>(std::move(prepared));
  return std::nullopt;
}

// Computes the kernel's position under the device's roofs; it stays unknown when they cannot be
// measured.
void place(runner::Session& session, const TimedWork& work, const Amount& amount, double time_ms,
           Measured& measured) {
  runner::MeasuredRoofs roofs;
  if (!work.modules.timing.empty()) {
    auto answer = session.roofs();
    if (auto* found = std::get_if<runner::MeasuredRoofs>(&answer)) roofs = *found;
  }
  measured.roofs = measure::roofs_of(roofs, warp_model::find_device(work.gpu.name), amount.type,
                                    amount.written / std::max(amount.bytes, 1.0));
  // A library that only reads may be faster than our kernel; then its rate is the roof.
  if (measured.roofs.only_reads && measured.baseline_ms > 0)
    measured.roofs.gb_per_s = std::max(measured.roofs.gb_per_s, amount.bytes / measured.baseline_ms / 1e6);
  measured.place = measure::place_under(measured.roofs, amount.bytes, amount.operations, time_ms);
}

std::string in_ms(double time_ms, int places) {
  return fmt::format("{:.{}f}", time_ms, places);
}

Outcome outcome_of(const measure::ClockDispute& dispute) {
  return outcome_with({dispute.outside ? "suspect.clocks_changed" : "suspect.work_off_the_clock",
                       {{"device_ms", in_ms(dispute.device_ms, 3)}, {"host_ms", in_ms(dispute.host_ms, 3)}}});
}

void fill_figures(const measure::Timing& timing, const TimedWork& work, const Amount& amount,
                  Measured& measured) {
  const measure::Quartiles ratio = measure::quartiles(timing.ratios);
  measured.in_a_row = work.in_a_row;
  measured.time_ms = measure::median(timing.student_ms) / work.in_a_row;
  measured.baseline_ms = measure::median(timing.baseline_ms) / work.in_a_row;
  measured.percent = 100 * ratio.median;
  measured.percent_low = 100 * ratio.low;
  measured.percent_high = 100 * ratio.high;
  measured.rounds = static_cast<int>(timing.ratios.size());
  if (measured.time_ms > 0) {
    measured.gigabytes_per_second = amount.bytes / measured.time_ms / 1e6;
    measured.gigaflops = amount.operations / measured.time_ms / 1e6;
  }
  if (measured.baseline_ms > 0)
    measured.baseline = baseline_words(work.baseline, amount, measured.baseline_ms);
  if (!timing.second_ratios.empty()) {
    const measure::Quartiles times = measure::quartiles(timing.second_ratios);
    measured.second = SecondMeasured{std::string(runner::find_baseline(work.second.name).words),
                                     measure::median(timing.second_ms) / work.in_a_row,
                                     times.median,
                                     times.low,
                                     times.high,
                                     work.second.at_least};
  }
  measured.gpu = timing.gpu;
  measured.discarded = timing.discarded;
  measured.throttled = timing.throttled;
  measured.ungated = timing.ungated;
}

Outcome outcome_of(const measure::Unevenness& uneven) {
  return outcome_with({"suspect.uneven_calls",
                       {{"usual_ms", in_ms(uneven.usual_ms, 4)}, {"mean_ms", in_ms(uneven.mean_ms, 4)}}});
}

std::variant<runner::PassRun, runner::Failure> pass(runner::Session& session, const std::vector<size_t>& order,
                                                    const TimedWork& work, bool student, bool gated) {
  auto answer = session.pass(student ? runner::Side::student : runner::Side::baseline, order, gated);
  if (auto* run = std::get_if<runner::PassRun>(&answer); run && work.clock)
    return work.clock(std::move(*run), student);
  return answer;
}

constexpr double kMostSlowerOnOther = 1.25, kOtherRoomMs = 0.01;
constexpr int kMostTriesOfOther = 4, kMostWarmPasses = 12;

// Calls on earlier inputs until they take as long as they did in the rounds. The host was busy for a
// second: the GPU has cooled down, and managed pages settle only after some ten calls.
std::optional<runner::Failure> warm_up(runner::Session& session, TimedSets& sets, bool student,
                                       double usual_ms) {
  for (int i = 0; i < kMostWarmPasses; ++i) {
    const auto answer = session.pass(student ? runner::Side::student : runner::Side::baseline,
                                     sets.order_without_renewed(), true);
    if (const auto* failure = std::get_if<runner::Failure>(&answer)) return *failure;
    const double warm_ms = measure::median(std::get<runner::PassRun>(answer).device_ms);
    if (warm_ms <= kMostSlowerOnOther * usual_ms + kOtherRoomMs) break;
  }
  return std::nullopt;
}

// Times calls on inputs that were never used before, with the baseline's calls on the same inputs.
// An honest kernel is equally fast on them; three more tries exclude a disturbance.
std::optional<Outcome> try_other_data(runner::Session& session, const CaseChecker& checker,
                                      TimedSets& sets, const TimedWork& work, const Measured& measured) {
  double other_ms = 0;
  for (int attempt = 0; attempt < kMostTriesOfOther; ++attempt) {
    if (auto failure = sets.renew(session))
      return checker.explain(*failure, "when its inputs were changed");
    double mean_ms[2] = {};
    // The kernel comes last, because a baseline may write to the outputs, too.
    for (const bool student : {false, true}) {
      // The usual time of one sample.
      const double usual_ms = work.in_a_row * (student ? measured.time_ms : measured.baseline_ms);
      if (const auto failure = warm_up(session, sets, student, usual_ms))
        return checker.explain(*failure, "while it was timed");
      const auto answer = pass(session, sets.next_order_by_rows(), work, student, true);
      if (const auto* failure = std::get_if<runner::Failure>(&answer))
        return checker.explain(*failure, "while it was timed");
      const std::vector<double>& samples = std::get<runner::PassRun>(answer).device_ms;
      const std::vector<size_t> slots = sets.renewed_slots();
      const auto in_a_row = static_cast<size_t>(work.in_a_row);
      for (const size_t slot : slots)
        mean_ms[student] += samples.at(slot / in_a_row) / static_cast<double>(slots.size() * in_a_row);
    }
    if (auto outcome = sets.check_expected_one(session, checker)) return outcome;
    other_ms = mean_ms[1];
    const double pace = std::clamp(mean_ms[0] / std::max(measured.baseline_ms, 1e-6), 1.0, 1.5);
    if (other_ms <= kMostSlowerOnOther * pace * measured.time_ms + kOtherRoomMs / work.in_a_row)
      return std::nullopt;
  }
  return outcome_with({"suspect.kept_answers",
                       {{"seen_ms", in_ms(measured.time_ms, 4)}, {"other_ms", in_ms(other_ms, 4)}}});
}

measure::TimingTarget timing_target(runner::Session& session, TimedSets& sets,
                                    const measure::GpuMonitor& monitor, const TimedWork& work,
                                    bool with_student, std::string& not_captured) {
  measure::TimingTarget target;
  target.pass = [&, with_student](bool student, bool gated) {
    auto answer = pass(session, sets.next_order(), work, student && with_student, gated);
    if (const auto* run = std::get_if<runner::PassRun>(&answer); run && student) not_captured = run->not_captured;
    return answer;
  };
  if (with_student && !work.second.name.empty())
    target.pass_of_second = [&] { return session.pass(runner::Side::second, sets.next_order(), true); };
  target.state = [&monitor] { return monitor.state(); };
  target.seconds = work.seconds;
  target.ready = [&sets] { return sets.references_are_known(); };
  target.on_estimate = [&work](const measure::Estimate& known) {
    report_progress(
        work,
        fmt::format("{:.1f}% of {} (± {:.1f}){}", 100 * known.ratio,
                    runner::find_baseline(work.baseline).words, 100 * known.ratio * known.noise,
                    known.rounds == 0 ? ", warming up" : fmt::format(", {} rounds", known.rounds)));
  };
  return target;
}

// Calls in a row are not checked one by one: one of each row must find inputs that are written just
// before it in the streams, and its outputs must be complete for what follows there. A pass of the
// baseline comes first, as in the rounds.
std::optional<Outcome> watch_calls_in_rows(runner::Session& session, const CaseChecker& checker, TimedSets& sets) {
  for (const runner::Side side : {runner::Side::baseline, runner::Side::student}) {
    const std::vector<size_t>& order = sets.next_order();
    const std::vector<size_t> watched =
        side == runner::Side::student ? sets.watched_slots() : std::vector<size_t>();
    const auto answer = session.pass(side, order, true, watched);
    if (const auto* failure = std::get_if<runner::Failure>(&answer))
      return checker.explain(*failure, "while it was timed");
    if (auto outcome = sets.check_slots(watched, session, checker)) {
      outcome->summary +=
          " This call was one of a row: a kernel before it in the streams wrote its inputs, and its outputs were "
          "read behind it there. Its kernels must wait for what is before them, and leave nothing to a later call.";
      return outcome;
    }
  }
  return std::nullopt;
}

TimedGrade time_either(runner::Session& session, const CaseChecker& checker, const TimedWork& work,
                       bool with_student) {
  TimedGrade timed;
  report_progress(work, "preparing the inputs");
  enter(work, "inputs");
  TimedSets sets(session, *work.problem, work.sizes, work.seed, work.most_reference_operations, work.in_a_row);
  const Amount amount = amount_of(sets.cases().front());
  // The baselines copy and collective have buffers of their own: they give no answer to the
  // problem.
  const bool answers =
      work.thorough && (with_student || !runner::find_baseline(work.baseline).problems.empty());
  if (answers) sets.work_out_references();
  if ((timed.outcome = prepare(session, checker, work, sets, timed.measured))) return timed;
  report_progress(work, with_student
                            ? fmt::format("against {}", runner::find_baseline(work.baseline).words)
                            : work.baseline);
  const measure::GpuMonitor monitor(session.pci_bus_id());
  enter(work, "warm-up and rounds");
  double checking_seconds = 0;
  auto check = [&](bool all) {
    if (!answers) return;
    const double start = work.seconds();
    enter(work, "answers of timed calls");
    timed.outcome = all && work.compares_all_slots ? sets.check(session, checker)
                                                   : sets.check_one(session, checker);
    if (!timed.outcome && with_student && work.in_a_row > 1)
      timed.outcome = watch_calls_in_rows(session, checker, sets);
    enter(work, "warm-up and rounds");
    checking_seconds += work.seconds() - start;
  };
  // Check the first round, some rounds that the child cannot predict, and the last.
  auto verify = [&](int round) {
    const bool by_chance = sets.chance(work.rounds_per_comparison) &&
                           checking_seconds < work.most_checking_seconds;
    if (round == 0 || by_chance) check(round == 0);
    return !timed.outcome;
  };
  const measure::TimingTarget target =
      timing_target(session, sets, monitor, work, with_student, timed.measured.not_captured);
  auto answer = measure::time_rounds(target, work.limits, verify);
  if (auto* failure = std::get_if<runner::Failure>(&answer)) {
    timed.outcome = checker.explain(*failure, "while it was timed");
    return timed;
  }
  if (!timed.outcome) check(true);
  auto& timing = std::get<measure::Timing>(answer);
  if (!monitor.why_not().empty()) timing.gpu.why_not = monitor.why_not();
  fill_figures(timing, work, amount, timed.measured);
  enter(work, "roofs");
  // What crosses links has another roof than device memory.
  if (work.thorough && !work.problem->on_ranks) place(session, work, amount, timed.measured.time_ms, timed.measured);
  if (!timed.outcome && timing.dispute && with_student) timed.outcome = outcome_of(*timing.dispute);
  if (!timed.outcome && timing.uneven && with_student) timed.outcome = outcome_of(*timing.uneven);
  enter(work, "inputs never seen");
  if (!timed.outcome && answers && with_student && work.tries_other_data)
    timed.outcome = try_other_data(session, checker, sets, work, timed.measured);
  const warp_model::DeviceDescription* described = warp_model::find_device(work.gpu.name);
  const double bandwidth = std::max(work.gpu.peak_gb_per_s, described ? described->memory_gb_per_s : 0);
  timed.floor_ms = measure::floor_ms(amount.bytes, amount.operations, bandwidth,
                                     measure::sheet_tflops(described, amount.type)) /
                   kFloorRoom;
  return timed;
}

}  // namespace

std::vector<std::filesystem::path> Modules::files() const {
  std::vector<std::filesystem::path> files;
  for (const auto& file : {timing, baseline, second})
    if (!file.empty()) files.push_back(file);
  return files;
}

Modules compile_modules(const std::string& baseline, const std::filesystem::path& cache,
                        const std::string& architecture, const std::string& second) {
  Modules modules;
  modules.timing = std::filesystem::absolute(runner::compile_module("timing", cache, architecture));
  const auto compiled = [&](const std::string& name) -> std::filesystem::path {
    modules.missing_baseline = name;
    const std::string_view module = name.empty() ? "" : runner::find_baseline(name).module;
    if (module.empty()) return {};
    return std::filesystem::absolute(runner::compile_module(module, cache, architecture));
  };
  try {
    modules.baseline = compiled(baseline);
    modules.second = compiled(second);
    modules.missing_baseline.clear();
  } catch (const std::runtime_error& error) {
    modules.missing = error.what();
  }
  return modules;
}

TimedGrade time_on_gpu(runner::Session& session, const CaseChecker& checker, const TimedWork& work) {
  return time_either(session, checker, work, true);
}

TimedGrade time_baseline(runner::Session& session, const CaseChecker& checker, const TimedWork& work) {
  return time_either(session, checker, work, false);
}

Outcome judge(const TimedGrade& timed, const course::Target& target) {
  if (timed.outcome) return *timed.outcome;
  const Measured& measured = timed.measured;
  if (measured.time_ms < timed.floor_ms)
    return outcome_with({"suspect.faster_than_memory",
                         {{"time_ms", in_ms(measured.time_ms, 4)}, {"floor_ms", in_ms(timed.floor_ms, 4)}}});
  if (const auto& second = measured.second;
      second && measured.percent >= target.pass && second->times < second->at_least)
    return outcome_with({"slow.second_baseline",
                         {{"percent", fmt::format("{:.1f}", measured.percent)},
                          {"baseline", measured.baseline},
                          {"times", fmt::format("{:.2f}", second->times)},
                          {"second", second->baseline},
                          {"at_least", second->at_least}}});
  const bool passes = measured.percent >= target.pass, golden = measured.percent >= target.gold;
  const std::string bound = passes ? "" : bound_sentence(measured);
  Outcome outcome = outcome_with(
      {!passes ? "slow.measured"
       : golden ? "gold.measured"
                : "pass.measured",
       {{"percent", fmt::format("{:.1f}", measured.percent)},
        {"baseline", measured.baseline},
        {"time_ms", in_ms(measured.time_ms, 4)},
        {"rate", text::work_rate(measured.gigabytes_per_second, measured.gigaflops)},
        {"pass", target.pass},
        {"gold", target.gold},
        {"bound", bound.empty() ? "" : " " + bound}}});
  if (!passes) outcome.next = bound_advice(measured);
  return outcome;
}

}  // namespace ridge::grade
