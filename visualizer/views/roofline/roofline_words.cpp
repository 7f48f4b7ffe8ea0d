#include "visualizer/views/roofline/roofline_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::view {

std::string words_of_l2(const RunPoint& point) {
  if (point.kept_in_l2() <= 0) return {};
  return fmt::format("with {} that stay in L2 counted as moved", with_si(point.kept_in_l2(), "B"));
}

std::string words_of(const RunPoint& point) {
  const bool bytes = point.counts_bytes();
  std::string text = fmt::format(
      "{}{}, {}",
      point.is_course ? fmt::format("The course's measurement of {}", point.rung)
      : point.run     ? fmt::format("Run {} of {}", point.run, point.rung)
                      : fmt::format("This trace{}{}", point.rung.empty() ? "" : " of ", point.rung),
      point.solution ? " (the solution)" : "", point.verdict);
  if (!point.size.empty()) text += "\n" + point.size;
  if (!point.counted_size.empty())
    text += fmt::format("\ncounted at {}, scaled to this size", point.counted_size);
  text += point.measured ? fmt::format("\nmeasured: {}", with_si(point.time_ms / 1000, "s"))
                         : fmt::format("\nmodelled: {} at least, by its bytes and operations",
                                       with_si(point.time_ms / 1000, "s"));
  if (point.measured && point.level() == RunLevel::l1)
    text += fmt::format(
        "\n{} asked for by its warps (counted on the virtual GPU, scaled), {} needed\n"
        "which of them caches served is not counted on a GPU",
        with_si(point.l1_bytes, "B"), with_si(point.useful_bytes, "B"));
  else if (point.measured)
    text += fmt::format("\n{} needed (what was moved is not counted on a GPU: it may stand further left)",
                        with_si(point.useful_bytes, "B"));
  else if (point.memory_is_least)
    text += fmt::format("\n{} through L1, {} through L2; at least the {} needed through the memory",
                        with_si(point.l1_bytes, "B"), with_si(point.l2_bytes, "B"),
                        with_si(point.useful_bytes, "B"));
  else if (point.kept_in_l2() > 0)
    text += fmt::format(
        "\n{} needed: {} moved in the launch, {} in L2 before it or left there after it\n"
        "these are counted as moved: some launch has to, and at this small size L2 hides it",
        with_si(point.useful_bytes, "B"), with_si(point.counted_bytes, "B"),
        with_si(point.kept_in_l2(), "B"));
  else
    text +=
        fmt::format("\n{} moved, {} would do", with_si(point.bytes, "B"), with_si(point.useful_bytes, "B"));
  if (!bytes) text += fmt::format("\n{}", with_si(point.operations, "operations"));
  text += fmt::format("\n{}, {}", with_si(point.intensity(), intensity_unit(bytes)),
                      with_si(point.rate(), rate_unit(bytes)));
  text += fmt::format("\n{:.3g}% of the roof; bound by {}", point.roof_percent,
                      point.bound.empty() ? "what is not known" : point.bound);
  return point.is_course ? text : text + "\nDrag it: what if it moved fewer bytes?";
}

std::string size_note(const RooflineRuns& runs, const std::string& rung) {
  const auto graded = runs.graded.find(rung);
  for (const RunPoint& point : runs.points) {
    if (point.rung != rung || point.measured) continue;
    if (!point.counted_size.empty())
      return fmt::format("Modelled runs: counted at {}, scaled to the graded size {}.", point.counted_size,
                         point.size);
    if (graded == runs.graded.end() && !point.size.empty())
      return fmt::format("Modelled runs: at {}. Nothing measured says how much work the graded size is.",
                         point.size);
  }
  return graded == runs.graded.end() || graded->second.size.empty()
             ? std::string()
             : fmt::format("At the graded size {}.", graded->second.size);
}

void draw_what_if(const Frame& f, const Roofs& roofs, const Plot& plot, const Asking& asking) {
  const auto& [point, x, y] = asking;
  const WhatIf answer = what_if(point, roofs, x, y);
  const Point from = plot.at(point.intensity(), point.rate()),
              to = plot.at(x, point.work() / (answer.time_ms / 1000));
  f.canvas.line(from, to, f.theme.focus, f.theme.px(1.5f));
  f.canvas.ring(to, f.theme.px(7), f.theme.focus, f.theme.px(2.5f));
  const std::array<std::string, 3> lines = {
      fmt::format("What if it moved {} instead of {}?", with_si(answer.bytes, "B"),
                  with_si(point.level_bytes(), "B")),
      fmt::format("{}, {}: {} instead of {}", answer.at_roof ? "on the roof" : "at this height",
                  with_si(point.work() / (answer.time_ms / 1000), rate_unit(point.counts_bytes())),
                  with_si(answer.time_ms / 1000, "s"), with_si(point.time_ms / 1000, "s")),
      std::abs(answer.faster - 1) < 0.005 && !point.bound.empty() && point.bound != "HBM"
          ? fmt::format("no faster: {} bounds it, not these bytes", point.bound)
      : answer.bytes < point.useful_bytes * 0.99
          ? fmt::format("{:.3g}x as fast; fewer bytes than the {} that the problem needs", answer.faster,
                        with_si(point.useful_bytes, "B"))
          : fmt::format("{:.3g}x as fast", answer.faster)};
  float width = 0;
  for (const std::string& line : lines)
    width = std::max(width, f.canvas.text_width(line, f.theme.body()));
  const Rect area = plot.area;
  Rect box{area.right() - width - f.theme.px(26), area.bottom() - f.theme.px(90), width + f.theme.px(16),
           f.theme.px(64)};
  // Must not cover the run that it is about, or that run's target.
  const auto covers = [&](Point at) { return box.inset(-f.theme.px(44)).contains(at); };
  if (covers(from) || covers(to)) box.y = area.y + f.theme.px(8);
  f.canvas.box(box, f.theme.panel_head, f.theme.px(4));
  f.canvas.frame(box, f.theme.focus, f.theme.px(1.5f), f.theme.px(4));
  for (size_t i = 0; i < lines.size(); ++i)
    f.canvas.text({box.x + f.theme.px(8), box.y + f.theme.px(14) + static_cast<float>(i) * f.theme.px(18)},
                  lines[i], i == 0 ? f.theme.text : f.theme.dim, f.theme.body());
}

void draw_marks_key(const Frame& f, const Plot& plot, size_t left_out) {
  static constexpr std::string_view kModelled = "modelled: at most so fast",
                                    kAsk = "what if it moved fewer bytes?";
  const Rect area = plot.area;
  const bool roomy = area.h > f.theme.px(280);
  Rect box{area.x + f.theme.px(8), area.y + f.theme.px(6),
           f.canvas.text_width(kModelled, f.theme.small()) + f.theme.px(30),
           f.theme.px(!roomy     ? 70
                      : left_out ? 122
                                 : 106)};
  if (box.w > area.w * 0.6f) return;
  f.canvas.box(box, f.theme.panel.faded(0.85f), f.theme.px(4));
  const auto row = [&](int number, Mark mark, std::string_view words) {
    const Point at{box.x + f.theme.px(12),
                   box.y + f.theme.px(10) + static_cast<float>(number) * f.theme.px(16)};
    draw_mark(f.canvas, f.theme, at, mark, f.theme.useful, f.theme.px(4.5f));
    f.canvas.text({at.x + f.theme.px(12), at.y}, words, f.theme.dim, f.theme.small());
  };
  row(0, Mark::disc, "measured on a GPU");
  row(1, Mark::bound, kModelled);
  row(2, Mark::target, "measured by the course");
  row(3, Mark::ring, "ideal: every byte once");
  const auto line = [&](int number, std::string_view words) {
    f.canvas.text(
        {box.x + f.theme.px(6), box.y + f.theme.px(10) + static_cast<float>(number) * f.theme.px(16)}, words,
        f.theme.dim, f.theme.small());
  };
  if (!roomy) return;
  line(4, "Drag a run, or press I and O:");
  line(5, kAsk);
  if (left_out) line(6, fmt::format("({} run{} without figures)", left_out, left_out == 1 ? "" : "s"));
}

}  // namespace ridge::view
