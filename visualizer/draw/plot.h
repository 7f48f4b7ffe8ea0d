// A plot with two logarithmic axes: positions of values, ticks with SI prefixes, and the frame.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "visualizer/draw/theme.h"

namespace ridge::view {

// Three digits and a prefix: with_si(4.26e12, "B/s") is "4.26 TB/s", with_si(0.5, "") is "0.5".
std::string with_si(double value, std::string_view unit);

struct Tick {
  double value = 0;
  std::string label;  // empty: a line only
};

struct LogAxis {
  double low = 1, high = 10;  // > 0, low < high
  float from = 0, to = 1;     // positions of low and high in pixels

  float place(double value) const;  // also beyond the ends; value > 0
  double value(float place) const;
  // Powers of ten with labels; 2 and 5 between them when a decade has at least `room` pixels for
  // them.
  std::vector<Tick> ticks(std::string_view unit, float room) const;
  // Zooms at `centre` (a value) by `factor`; > 1 shows less.
  void zoom(double centre, double factor);
  void pan(float pixels);  // moves the content by `pixels`
};

struct Plot {
  Rect area;  // of the data
  LogAxis x, y;
  Point at(double x_value, double y_value) const { return {x.place(x_value), y.place(y_value)}; }
};

// Reserves the margins for ticks and titles, and sets the axes to the remaining area.
Plot make_plot(const Theme& theme, Rect area, LogAxis x, LogAxis y);
// Grid, ticks and titles.
void draw_axes(Canvas& canvas, const Theme& theme, const Plot& plot, std::string_view x_title,
               std::string_view x_unit, std::string_view y_title, std::string_view y_unit);

// Marks that differ in shape, not only in colour.
enum class Mark : uint8_t { disc, ring, target, bound };
void draw_mark(Canvas& canvas, const Theme& theme, Point at, Mark mark, Color color, float radius);

}  // namespace ridge::view
