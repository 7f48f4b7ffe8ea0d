#include "harness/report/text/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/tables/counts_table.h"
#include "harness/report/text/error_map_text.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/measured_text.h"
#include "text/layout.h"
#include "text/numbers.h"
#include "trace/links/links_text.h"

namespace ridge::report {
namespace {

constexpr size_t kVerdictColumns = 13;  // "COMPILE ERROR"
constexpr size_t kIndent = 4;

std::string show_measured(const grade::Measured& measured, const std::string& device, const Style& style) {
  std::string text =
      fmt::format("measured: {}", style.paint(Colour::bold, fmt::format("{:.1f}%", measured.percent)));
  text += fmt::format(" of {} (quartiles {:.1f} to {:.1f}, {} rounds); {}\n", measured.baseline,
                      measured.percent_low, measured.percent_high, measured.rounds,
                      target_words(measured.target, device));
  text += fmt::format("          {:.4f} ms per call, the baseline {:.4f} ms", measured.time_ms,
                      measured.baseline_ms);
  if (measured.gigabytes_per_second > 0)
    text += "; " + text::work_rate(measured.gigabytes_per_second, measured.gigaflops);
  text += "\n";
  if (measured.second) text += "          " + second_words(*measured.second) + "\n";
  for (const std::string& line : {roof_words(measured), library_words(measured.library), gpu_words(measured)})
    if (!line.empty()) text += style.paint(Colour::dim, "          " + line) + "\n";
  return text;
}

// Writes large numbers in full, since 2.032e+06 is hard to read.
std::string in_full(double value) {
  return value < 10000 ? fmt::format("{:.4g}", value) : text::with_thousands(static_cast<uint64_t>(value));
}

std::string limits_of(const course::Gate& gate) {
  std::string text;
  if (gate.at_least) text += "at least " + in_full(*gate.at_least);
  if (gate.at_most) text += (text.empty() ? "at most " : ", at most ") + in_full(*gate.at_most);
  return text;
}

std::string show_gate(const grade::GateResult& gate, const Style& style) {
  if (!gate.skipped.empty())
    return text::wrapped(fmt::format("- {} ({}): {}", gate.gate.count, limits_of(gate.gate), gate.skipped),
                         static_cast<size_t>(style.width) - kIndent, 0);
  const std::string mark = gate.passed ? style.paint(Colour::green, "✓") : style.paint(Colour::red, "✗");
  std::string text =
      fmt::format("{} {} = {} ({})\n", mark, gate.gate.count, in_full(gate.value), limits_of(gate.gate));
  if (!gate.passed) text += text::wrapped(gate.gate.why, static_cast<size_t>(style.width) - kIndent, 2);
  return text;
}

std::string show_resources(const grade::Result& result) {
  if (result.registers == 0) return "";
  std::string text = fmt::format("{} registers per thread", result.registers);
  if (result.shared_bytes > 0)
    text += fmt::format(", {} bytes of shared memory per block", result.shared_bytes);
  if (result.spill_bytes > 0) text += fmt::format(", {} bytes spilled", result.spill_bytes);
  return text + "\n";
}

// nvcc's messages are not wrapped: their carets point at columns.
std::string show_detail(const grade::Result& result, size_t width) {
  std::string detail = printable(result.detail);
  if (result.verdict == grade::Verdict::compile_error) return text::indented(detail, kIndent);
  std::string text;
  for (const std::string& line : folded(detail, width - kIndent))
    text += line + "\n";
  return text::indented(text, kIndent);
}

}  // namespace

Colour colour_of(grade::Verdict verdict) {
  if (verdict == grade::Verdict::not_started) return Colour::cyan;
  if (grade::passed(verdict)) return Colour::green;
  const bool nearly = verdict == grade::Verdict::slow || verdict == grade::Verdict::suspect ||
                      verdict == grade::Verdict::skipped;
  return nearly ? Colour::yellow : Colour::red;
}

std::string show(const Graded& graded, const Style& style) {
  const grade::Result& result = graded.result;
  const size_t width = static_cast<size_t>(style.width);
  std::string text =
      style.paint(colour_of(result.verdict), text::padded(to_string(result.verdict), kVerdictColumns));
  text += fmt::format("  {}{}", style.paint(Colour::bold, graded.rung->path()),
                      graded.solution       ? " (solution)"
                      : graded.file.empty() ? ""
                                            : fmt::format(" ({})", text::one_line(graded.file)));
  std::string facts = result.device;
  if (!result.size.empty()) facts += (facts.empty() ? "" : ", ") + result.size;
  facts += fmt::format("{}{:.1f} s", facts.empty() ? "" : ", ", result.seconds);
  text += style.paint(Colour::dim, fmt::format("  {}", facts)) + "\n";

  if (!result.summary.empty()) text += text::wrapped(result.summary, width, kIndent);
  const std::string next = result.next.empty() ? "" : text::wrapped("Next: " + result.next, width, kIndent);
  // NOT STARTED shows the places to fill in first, then the advice.
  const bool begun = result.verdict != grade::Verdict::not_started;
  text += begun ? next + show_detail(result, width) : show_detail(result, width) + next;
  if (result.error_map) text += text::indented(error_map_text(*result.error_map, width - kIndent), kIndent);
  if (result.measured)
    text += text::indented(show_measured(*result.measured, result.device, style), kIndent);
  const std::string of_size = result.counted_size.empty() ? "" : " at " + result.counted_size;
  if (!result.gates.empty() && result.measured)
    text += text::indented(style.paint(Colour::dim, fmt::format("modelled on the virtual GPU{}:", of_size)),
                           kIndent);
  for (const grade::GateResult& gate : result.gates)
    text += text::indented(show_gate(gate, style), kIndent);
  if (!result.counts.empty()) {
    text += text::indented(
        style.paint(Colour::dim,
                    fmt::format("modelled{}, for one warp's request, by line of your file:", of_size)),
        kIndent);
    text += text::indented(counts_table(result.counts, style), kIndent);
  }
  if (result.links)
    text += text::indented(style.paint(Colour::dim, fmt::format("modelled{}:", of_size)) + " " +
                               trace::links_text(result.links->links, result.links->ideal_bytes,
                                                 result.links->ideal_formula) +
                               "\n",
                           kIndent);
  return text + text::indented(style.paint(Colour::dim, show_resources(result)), kIndent);
}

std::string show_summary(std::span<const Graded> results, const Style& style) {
  size_t passed = 0, gold = 0, skipped = 0, not_started = 0;
  double seconds = 0;
  for (const Graded& graded : results) {
    passed += grade::passed(graded.result.verdict);
    gold += graded.result.verdict == grade::Verdict::gold;
    skipped += graded.result.verdict == grade::Verdict::skipped;
    not_started += graded.result.verdict == grade::Verdict::not_started;
    seconds += graded.result.seconds;
  }
  const bool files = !results.empty() && !results.front().file.empty();
  std::string text = fmt::format("{} of {} {} pass", passed, results.size(), files ? "files" : "rungs");
  if (gold > 0) text += fmt::format(", {} gold", gold);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (not_started > 0) text += fmt::format(", {} not started", not_started);
  const Colour colour = passed == results.size() ? Colour::green : Colour::yellow;
  return style.paint(colour, text) + fmt::format("  ({:.1f} s)\n", seconds);
}

}  // namespace ridge::report
