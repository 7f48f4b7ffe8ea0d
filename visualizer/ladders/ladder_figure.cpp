#include "visualizer/ladders/ladder_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "visualizer/draw/recorder.h"
#include "visualizer/draw/svg_canvas.h"
#include "visualizer/views/view.h"

namespace ridge::view {

namespace {

constexpr float kWidth = 960, kRow = 46, kMargin = 16, kFoot = 26;

// Uses the reader's own fonts, so the widths measured by the ruler must not be enforced.
std::string with_natural_letters(const std::string& svg) {
  static const std::regex kFixed(R"( textLength="[^"]*" lengthAdjust="[^"]*")");
  return std::regex_replace(svg, kFixed, "");
}

// "cub_sum or device_copy", with the names in the course's files; of more than three: "its baseline".
std::string baselines_of(const report::Ladder& ladder) {
  std::vector<std::string> names;
  for (const report::LadderRung& rung : ladder.rungs)
    if (std::find(names.begin(), names.end(), rung.baseline) == names.end()) names.push_back(rung.baseline);
  return names.size() > 3 ? "its baseline" : fmt::format("{}", fmt::join(names, " or "));
}

// "median of 3 runs in course/measured/nvidia-h200"; where rungs have different numbers of runs,
// "median of 1 to 3 runs in ...". Empty: nothing was measured.
std::string source_of(const report::Ladder& ladder) {
  int fewest = 0, most = 0;
  std::string source;
  for (const report::LadderRung& rung : ladder.rungs) {
    if (!rung.reference) continue;
    const int runs = rung.reference->runs;
    fewest = source.empty() ? runs : std::min(fewest, runs);
    most = std::max(most, runs);
    source = rung.reference->source;
  }
  const size_t place = source.find(" in ");
  if (fewest == most || place == std::string::npos) return source;
  return fmt::format("median of {} to {} runs{}", fewest, most, source.substr(place));
}

std::string in_theme(const report::Ladder& ladder, const std::string& source, bool dark, float height) {
  Recorder ruler;
  SvgCanvas canvas(kWidth, height, ruler);
  const Theme theme = make_theme(dark);
  canvas.box({0, 0, kWidth, height}, theme.panel, 8);
  Session session;
  session.set_ladder(std::make_shared<const report::Ladder>(ladder));
  Rect area = Rect{0, 0, kWidth, height}.inset(kMargin);
  const Rect foot = area.take_bottom(kFoot);
  make_view(trace::ViewKind::ladder)->draw({canvas, theme, session, area});
  canvas.text(
      {foot.x, foot.bottom() - 4},
      fmt::format("Measured side by side with {}: {}. Marks: pass and gold.", baselines_of(ladder), source),
      theme.dim, theme.small());
  return with_natural_letters(canvas.svg());
}

}  // namespace

std::string ladder_figure(const report::Ladder& measured) {
  report::Ladder ladder = measured;
  ladder.references_only = true;
  const std::string source = source_of(ladder);
  if (source.empty()) return "";
  const float height = 2 * kMargin + kFoot + 42 + kRow * static_cast<float>(ladder.rungs.size());
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n"
      "<title>{2}: percent of the library on the {3}, rung by rung</title>\n"
      "<style>.dark{{display:none}}@media(prefers-color-scheme:dark){{.light{{display:none}}.dark{{display:"
      "inline}}}}"
      "</style>\n<g class=\"light\">\n{4}</g>\n<g class=\"dark\">\n{5}</g>\n</svg>\n",
      kWidth, height, ladder.lab, ladder.device, in_theme(ladder, source, false, height),
      in_theme(ladder, source, true, height));
}

}  // namespace ridge::view
