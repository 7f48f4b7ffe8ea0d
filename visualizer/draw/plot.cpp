#include "visualizer/draw/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::view {

std::string with_si(double value, std::string_view unit) {
  static constexpr std::array<const char*, 10> kPrefixes = {"n", "\u00b5", "m", "",  "k",
                                                            "M", "G",      "T", "P", "E"};
  if (value == 0 || !std::isfinite(value)) return unit.empty() ? "0" : fmt::format("0 {}", unit);
  int step = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3));
  if (unit.empty() && std::abs(value) < 1 && std::abs(value) >= 0.001)
    step = 0;  // 0.5, not 500 m without a unit
  step = std::clamp(step, -3, 6);
  double scaled = value / std::pow(1000.0, step);
  if (std::abs(scaled) >= 999.5 && step < 6) scaled /= 1000, ++step;
  const double size = std::abs(scaled);
  std::string digits = size >= 99.95   ? fmt::format("{:.0f}", scaled)
                       : size >= 9.995 ? fmt::format("{:.1f}", scaled)
                       : size >= 0.1   ? fmt::format("{:.2f}", scaled)
                                       : fmt::format("{:.2g}", scaled);
  if (digits.find('.') != std::string::npos && digits.find('e') == std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  const std::string suffix = kPrefixes[static_cast<size_t>(step + 3)] + std::string(unit);
  return suffix.empty() ? digits : digits + " " + suffix;
}

float LogAxis::place(double value) const {
  const double part = std::log(value / low) / std::log(high / low);
  return from + static_cast<float>(part) * (to - from);
}

double LogAxis::value(float place) const {
  return low * std::pow(high / low, static_cast<double>((place - from) / (to - from)));
}

std::vector<Tick> LogAxis::ticks(std::string_view unit, float room) const {
  std::vector<Tick> ticks;
  const double decades = std::log10(high / low);
  const double pixels = std::abs(static_cast<double>(to - from)) / decades;
  // Distance of labels in powers of ten.
  const int every = std::max(1, static_cast<int>(std::ceil(room / pixels)));
  const int first = static_cast<int>(std::floor(std::log10(low))),
            last = static_cast<int>(std::ceil(std::log10(high)));
  for (int power = first; power <= last; ++power)
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10.0, power);
      if (value < low * 0.999 || value > high * 1.001) continue;
      const bool labelled = digit == 1 ? power % every == 0 : pixels > 3.2 * static_cast<double>(room);
      if (digit != 1 && pixels < room) continue;
      // 1000, not 1 k without a unit.
      const bool plain = unit.empty() && value >= 1000 && value < 99999;
      ticks.push_back({value, !labelled ? std::string()
                              : plain   ? fmt::format("{:.0f}", value)
                                        : with_si(value, unit)});
    }
  return ticks;
}

void LogAxis::zoom(double centre, double factor) {
  const double down = std::pow(centre / low, 1 / factor), up = std::pow(high / centre, 1 / factor);
  low = centre / down, high = centre * up;
}

void LogAxis::pan(float pixels) {
  const double factor = std::pow(high / low, static_cast<double>(-pixels / (to - from)));
  low *= factor, high *= factor;
}

Plot make_plot(const Theme& theme, Rect area, LogAxis x, LogAxis y) {
  area.take_left(theme.px(74));
  area.take_bottom(theme.px(40));
  area.take_right(theme.px(10));
  area.take_top(theme.px(22));
  Plot plot{area, x, y};
  plot.x.from = area.x, plot.x.to = area.right();
  plot.y.from = area.bottom(), plot.y.to = area.y;
  return plot;
}

void draw_axes(Canvas& canvas, const Theme& theme, const Plot& plot, std::string_view x_title,
               std::string_view x_unit, std::string_view y_title, std::string_view y_unit) {
  const Rect& area = plot.area;
  for (const Tick& tick : plot.x.ticks(x_unit, theme.px(46))) {
    const float x = plot.x.place(tick.value);
    canvas.line({x, area.y}, {x, area.bottom()}, tick.label.empty() ? theme.grid.faded(0.5f) : theme.grid, 1);
    // Centred at its line, but not cut off at the right end (make_plot leaves room to the right of
    // the plot).
    const float half = canvas.text_width(tick.label, theme.small()) / 2;
    canvas.text({std::min(x, area.right() + theme.px(10) - half), area.bottom() + theme.px(11)}, tick.label,
                theme.dim, theme.small(Align::centre));
  }
  for (const Tick& tick : plot.y.ticks(y_unit, theme.px(26))) {
    const float y = plot.y.place(tick.value);
    canvas.line({area.x, y}, {area.right(), y}, tick.label.empty() ? theme.grid.faded(0.5f) : theme.grid, 1);
    canvas.text({area.x - theme.px(6), y}, tick.label, theme.dim, theme.small(Align::right));
  }
  canvas.line({area.x, area.y}, {area.x, area.bottom()}, theme.edge, theme.px(1));
  canvas.line({area.x, area.bottom()}, {area.right(), area.bottom()}, theme.edge, theme.px(1));
  canvas.text({area.right(), area.bottom() + theme.px(29)}, x_title, theme.text, theme.small(Align::right));
  canvas.text({area.x - theme.px(66), area.y - theme.px(12)}, y_title, theme.text, theme.small());
}

void draw_mark(Canvas& canvas, const Theme& theme, Point at, Mark mark, Color color, float radius) {
  switch (mark) {
    case Mark::disc:
      canvas.disc(at, radius + theme.px(1.5f), theme.panel);
      canvas.disc(at, radius, color);
      break;
    case Mark::bound:  // a cap on the interval that it bounds
      canvas.box({at.x - radius * 0.7f, at.y - radius, radius * 1.4f, radius * 2}, color.faded(0.25f));
      canvas.line({at.x - radius * 1.3f, at.y - radius}, {at.x + radius * 1.3f, at.y - radius}, color,
                  theme.px(2));
      break;
    case Mark::target:
      canvas.disc(at, radius, theme.panel);
      canvas.ring(at, radius, color, theme.px(1.6f));
      canvas.disc(at, radius * 0.4f, color);
      break;
    case Mark::ring:
      canvas.disc(at, radius, theme.panel);
      canvas.ring(at, radius, color, theme.px(2));
      break;
  }
}

}  // namespace ridge::view
