#include "harness/grade/timed.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/measure/rounds.h"
#include "harness/measure/statistics.h"
#include "warp_model/device.h"

namespace ridge::grade {

namespace {

constexpr double kFloorRoom = 1.05;  // clocks above the data sheet's, and the events' resolution
constexpr double kMostSetBytes = 8e9;

// Outputs of every set after a round, against the reference of that set.
std::optional<Fault> verify_sets(runner::Session& session, const Examination& examination,
                                 const std::vector<problems::Case>& sets) {
  for (size_t i = 0; i < sets.size(); ++i) {
    auto returned = session.collect(i);
    if (auto* failure = std::get_if<runner::Failure>(&returned))
      return examination.explain(*failure, "while it was timed");
    if (auto fault = examine(sets[i], std::get<std::vector<runner::Returned>>(returned))) {
      fault->summary = "While it was timed: " + fault->summary;
      return fault;
    }
  }
  return std::nullopt;
}

std::string baseline_words(const std::string& baseline, double gigabytes_per_second, double gigaflops) {
  std::string name = baseline == "device_copy" ? "device copy" : baseline;
  if (gigaflops > gigabytes_per_second * 50) return fmt::format("{}, {:.0f} GFLOP/s", name, gigaflops);
  return fmt::format("{}, {:.0f} GB/s", name, gigabytes_per_second);
}

}  // namespace

TimedGrade time_on_gpu(runner::Session& session, const Examination& examination, const course::Rung& rung,
                       const problems::Problem& problem, const runner::Gpu& gpu, uint64_t seed,
                       const std::function<void(std::string_view)>& progress,
                       const measure::RoundLimits& limits) {
  TimedGrade timed;
  double bytes = problems::bytes_moved(problem, rung.gpu_size),
         operations = problem.operations(rung.gpu_size);
  double set_bytes = 0;
  for (const problems::Buffer& buffer : problem.buffers(rung.gpu_size))
    set_bytes += static_cast<double>(buffer.bytes());
  int count = measure::rotating_sets(set_bytes, session.l2_bytes());
  // Student's and baseline's buffers, and originals of what is read and written.
  double room = std::min(kMostSetBytes, static_cast<double>(session.free_bytes()) * 0.9 / 3);
  while (count > 2 && count * set_bytes > room)
    --count;
  if (progress)
    progress(fmt::format("timing {}: preparing {} sets of buffers",
                         problems::describe(problem, rung.gpu_size), count));
  problems::Random random(seed ^ 0x74696d6564);
  std::vector<problems::Case> sets;
  for (int i = 0; i < count; ++i)
    sets.push_back(problems::make_case(problem, rung.gpu_size, problems::Draw::uniform, random.next()));
  for (problems::Case& set : sets)
    set.scalars = sets.front().scalars;
  if (auto failure = session.prepare(sets, rung.baseline)) {
    timed.fault = examination.explain(*failure, "when it was to be timed");
    return timed;
  }
  if (progress)
    progress(fmt::format("timing {} against {}", problems::describe(problem, rung.gpu_size), rung.baseline));
  // The first round, some that only we know, and the last.
  auto verify = [&](int round) {
    if (round == 0 || random.next() % 16 == 0) timed.fault = verify_sets(session, examination, sets);
    return !timed.fault;
  };
  auto answer = measure::time_rounds(session, limits, verify);
  if (auto* failure = std::get_if<runner::Failure>(&answer)) {
    timed.fault = examination.explain(*failure, "while it was timed");
    return timed;
  }
  if (!timed.fault) timed.fault = verify_sets(session, examination, sets);
  const auto& timing = std::get<measure::Timing>(answer);
  measure::Quartiles ratio = measure::quartiles(timing.ratios);
  Measured& measured = timed.measured;
  measured.time_ms = measure::median(timing.student_ms);
  measured.baseline_ms = measure::median(timing.baseline_ms);
  measured.percent = 100 * ratio.median;
  measured.percent_low = 100 * ratio.low;
  measured.percent_high = 100 * ratio.high;
  measured.rounds = static_cast<int>(timing.ratios.size());
  if (measured.time_ms > 0) {
    measured.gigabytes_per_second = bytes / measured.time_ms / 1e6;
    measured.gigaflops = operations / measured.time_ms / 1e6;
  }
  if (measured.baseline_ms > 0)
    measured.baseline = baseline_words(rung.baseline, bytes / measured.baseline_ms / 1e6,
                                       operations / measured.baseline_ms / 1e6);
  if (!timed.fault && timing.dispute)
    timed.fault = Fault{
        Verdict::suspect,
        fmt::format("The GPU's clock saw {:.3f} ms of work and the host's {:.3f} ms: work was done where the "
                    "clock does not look.",
                    timing.dispute->device_ms, timing.dispute->host_ms),
        "Launch everything on the stream that your function is given, and do not wait or allocate in it.",
        ""};
  const warp_model::DeviceDescription* described = warp_model::find_device(gpu.name);
  double bandwidth = std::max(gpu.peak_gb_per_s, described ? described->memory_gb_per_s : 0);
  timed.floor_ms =
      measure::floor_ms(bytes, operations, bandwidth, described ? described->fp32_tflops : 0) / kFloorRoom;
  return timed;
}

Fault judge(const TimedGrade& timed, const course::Target& target) {
  if (timed.fault) return *timed.fault;
  const Measured& measured = timed.measured;
  if (measured.time_ms < timed.floor_ms)
    return {Verdict::suspect,
            fmt::format("{:.4f} ms is faster than this device can move the data ({:.4f} ms at its peak).",
                        measured.time_ms, timed.floor_ms),
            "Check that every element is read and computed in every call.", ""};
  std::string got = fmt::format("{:.1f}% of the {} ({:.4f} ms, {:.0f} GB/s)", measured.percent,
                                measured.baseline, measured.time_ms, measured.gigabytes_per_second);
  if (measured.percent < target.pass)
    return {Verdict::slow, fmt::format("The answers are right, at {}; {}% passes.", got, target.pass),
            "Look at what its warps do to memory: `ridge grade --on virtual` counts it line by line.", ""};
  if (measured.percent < target.gold)
    return {Verdict::pass, fmt::format("Right everywhere, at {}.", got),
            fmt::format("Gold starts at {}%.", target.gold), ""};
  return {Verdict::gold, fmt::format("Right everywhere, at {}: {}% is gold.", got, target.gold),
          "Go on to the next rung.", ""};
}

}  // namespace ridge::grade
