#include "visualizer/views/memory/pyramid_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "visualizer/draw/plot.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

using warp_model::DeviceFigure;
using warp_model::MemoryLevel;

// Capacities in KB and MB are powers of two; 141 GB is not.
std::string capacity(double bytes) {
  return bytes >= 1e9 ? with_si(bytes, "B") : with_unit(static_cast<uint64_t>(bytes));
}

std::string source_line(const char* what, const std::string& value, const DeviceFigure& figure) {
  return figure.known() ? fmt::format("\n{} {}: {}", what, value, figure.source)
                        : fmt::format("\n{}: no figure that we trust is published", what);
}

constexpr const char* kBetween = "  \u00b7  ";

double of_lines(const LevelTraffic& traffic) {
  double bytes = 0;
  for (const LineBytes& line : traffic.lines)
    bytes += line.bytes;
  return bytes;
}

}  // namespace

std::string note_of(const LaunchTraffic& traffic) {
  if (!traffic.whole_launch)
    return "This trace counts the recorded blocks only, and nothing below L1: record it again for the rest.";
  if (traffic.without_lanes)
    return "Counted for the whole launch (modelled); registers, L1 and shared without what copy engines and "
           "tensor cores move.";
  if (traffic.sample > 0 && traffic.sample < 0.999)
    return fmt::format(
        "Counted by the virtual GPU (modelled); L2 and below from {:.0f}% of the launch, scaled up.",
        traffic.sample * 100);
  return "Counted by the virtual GPU for the whole launch (modelled).";
}

std::string figures_of(const MemoryLevel& level) {
  std::string text = level.bytes_per_sm.known() ? fmt::format("{} per SM", capacity(level.bytes_per_sm.value))
                     : level.bytes.known()        ? capacity(level.bytes.value)
                                                  : std::string();
  if (level.latency_cycles.known())
    text += fmt::format("{}{:.0f} cycles", text.empty() ? "" : kBetween, level.latency_cycles.value);
  if (level.gb_per_s.known())
    text += fmt::format("{}{}", text.empty() ? "" : kBetween, with_si(level.gb_per_s.value * 1e9, "B/s"));
  return text;
}

double all_bytes(const LevelTraffic& traffic) {
  return std::max(traffic.bytes, of_lines(traffic));
}

std::string rest_text(const LevelTraffic& traffic, bool without_lanes) {
  const double rest = traffic.bytes - of_lines(traffic);
  if (rest <= 0.02 * traffic.bytes) return {};
  return fmt::format("{} {}", percent_text(rest / traffic.bytes),
                     without_lanes ? "by copy engines (TMA), which are not counted by line"
                                   : "written back or fetched beside, for no line");
}

std::string level_tooltip(const MemoryLevel& level, const LevelTraffic& traffic, size_t number,
                          bool is_revealed) {
  std::string text(level.name);
  if (is_revealed && traffic.counted) {
    text += fmt::format("\nmoved {}: {}", with_si(traffic.bytes, "B"), traffic.formula);
    text += fmt::format("\nideal {}: {}", with_si(traffic.ideal, "B"), traffic.ideal_formula);
    if (traffic.kept_above > 0.01 * traffic.ideal)
      text += fmt::format("\n{} of it were in L2 before the launch, or stay there until L2 needs the room",
                          with_si(traffic.kept_above, "B"));
    const double bytes = all_bytes(traffic);
    for (size_t i = 0; i < std::min<size_t>(3, traffic.lines.size()); ++i) {
      const LineBytes& line = traffic.lines[i];
      text += fmt::format("\nline {}: {}, {}", line.line, with_si(line.bytes, "B"),
                          percent_text(line.bytes / bytes));
      if (line.ideal > 0 && line.bytes > line.ideal * 1.02)
        text += fmt::format(" ({} would do)", with_si(line.ideal, "B"));
    }
  }
  if (level.bytes_per_sm.known())
    text += source_line("holds", capacity(level.bytes_per_sm.value) + " per SM", level.bytes_per_sm);
  if (number != warp_model::kPeers) text += source_line("holds", capacity(level.bytes.value), level.bytes);
  if (number == warp_model::kRegisters)
    text += "\nlatency: none of its own, operands are read by the instruction";
  else
    text += source_line("latency", fmt::format("{:.0f} cycles", level.latency_cycles.value),
                        level.latency_cycles);
  return text + source_line("bandwidth", with_si(level.gb_per_s.value * 1e9, "B/s"), level.gb_per_s);
}

}  // namespace ridge::view
