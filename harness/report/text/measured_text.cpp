#include "harness/report/text/measured_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "text/numbers.h"

namespace ridge::report {

std::string second_words(const grade::SecondMeasured& second) {
  return fmt::format("{:.2f} times as fast as {} (quartiles {:.2f} to {:.2f}), {:.4f} ms; pass at {:g}", second.times,
                     second.baseline, second.times_low, second.times_high, second.time_ms, second.at_least);
}

std::string target_words(const course::Target& target, const std::string& device) {
  const bool elsewhere = !target.device.empty() && target.device != device;
  return fmt::format("pass at {:g}%, gold at {:g}%{}", target.pass, target.gold,
                     elsewhere ? fmt::format(" (targets measured on {})", target.device) : "");
}

std::string roof_words(const grade::Measured& measured) {
  const measure::Roofs& roofs = measured.roofs;
  const measure::RoofPlace& place = measured.place;
  if (place.percent <= 0) return "";
  std::string why;
  switch (place.bound) {
    case measure::Bound::memory:
      why = fmt::format("its bytes alone take {:.4f} ms at {}, {}", place.memory_ms, text::byte_rate(roofs.gb_per_s),
                        roofs.bandwidth_source != "measured" ? roofs.bandwidth_source
                        : roofs.only_reads ? "the rate of reading, measured in this run"
                                           : "a copy's rate measured in this run");
      break;
    case measure::Bound::compute:
      why = fmt::format("its operations alone take {:.4f} ms at {:.1f} TFLOP/s, {}", place.compute_ms,
                        roofs.tflops,
                        roofs.rate_source == "measured" ? "measured in this run" : "the data sheet's rate");
      break;
    case measure::Bound::overhead:
      why = fmt::format("an empty kernel alone takes {:.4f} ms, measured in this run", place.overhead_ms);
      break;
  }
  return fmt::format("{:.1f}% of the roof; bound by {}: {}", place.percent, measure::to_string(place.bound),
                     why);
}

std::string gpu_words(const grade::Measured& measured) {
  const measure::GpuRecord& gpu = measured.gpu;
  std::string text;
  if (gpu.watched) {
    text = gpu.sm_mhz_low == gpu.sm_mhz_high
               ? fmt::format("SM clock {} MHz", gpu.sm_mhz)
               : fmt::format("SM clock {} MHz ({} to {})", gpu.sm_mhz, gpu.sm_mhz_low, gpu.sm_mhz_high);
    text +=
        fmt::format(", memory {} MHz, {:.0f} W, {} °C", gpu.after.memory_mhz, gpu.power_w, gpu.temperature_c);
    if (const auto reasons = measure::words_of_reasons(gpu.reasons); !reasons.empty())
      text += fmt::format("; held down by: {}", fmt::join(reasons, ", "));
  } else {
    text = fmt::format("clocks not watched: {}", gpu.why_not.empty() ? "NVML gave no answer" : gpu.why_not);
  }
  if (measured.discarded > 0)
    text += fmt::format("; {} of {} rounds thrown away, in which the clock dropped", measured.discarded,
                        measured.rounds + measured.discarded);
  if (measured.in_a_row > 1)
    text += fmt::format("; each time is the mean of {} calls in a row, {}", measured.in_a_row,
                        measured.not_captured.empty() ? "captured in a graph"
                                                      : "queued one by one because a graph could not be captured (" +
                                                            measured.not_captured + ")");
  if (measured.throttled) text += "; the GPU was slowed down throughout, so absolute times are too long";
  if (measured.ungated)
    text += "; the function keeps the host busy before its kernel starts, which is in the times";
  return text;
}

std::string library_words(const runner::BaselineReport& library) {
  if (library.trials.empty()) return "";
  const auto best = std::min_element(library.trials.begin(), library.trials.end(),
                                     [](const auto& a, const auto& b) { return a.time_ms < b.time_ms; });
  if (library.trials.size() == 1) return library.library;
  return fmt::format("{}: default {} {:.4f} ms, best {} {:.4f} ms, of {} tried", library.library,
                     library.trials.front().name, library.trials.front().time_ms, best->name, best->time_ms,
                     library.trials.size());
}

}  // namespace ridge::report
