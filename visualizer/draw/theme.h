// Colours and sizes. Four roles have a meaning. Each has its own shape in addition to its colour, so
// that the picture can be read without distinguishing colours:
//   useful  filled solid          bytes, wavefronts, time that the kernel needs
//   waste   hatched               fetched and not used, wavefronts beyond the ideal
//   level   outlined, rounded     a level of the memory hierarchy, a roof
//   focus   a thick frame         the selection
// Everything else is grey.
#pragma once

#include "visualizer/draw/canvas.h"

namespace ridge::view {

enum class Role : uint8_t { useful, waste, level, focus, quiet };

struct Theme {
  bool dark = true;
  float scale = 1;  // 1 to 3
  Color background, panel, panel_head, edge, grid, text, dim, faint, useful, waste, level, focus;

  Color of(Role role) const;
  float px(float at_scale_1) const { return at_scale_1 * scale; }
  // Text sizes: 11 small print, 13 text, 16 headings, 22 the main number.
  TextStyle small(Align align = Align::left) const { return {px(11), Face::text, align}; }
  TextStyle body(Align align = Align::left) const { return {px(13), Face::text, align}; }
  TextStyle heading(Align align = Align::left) const { return {px(16), Face::bold, align}; }
  TextStyle number(Align align = Align::left) const { return {px(22), Face::bold, align}; }
  TextStyle code(Align align = Align::left) const { return {px(12), Face::mono, align}; }
  // For panels in which lines of 60 letters would not fit otherwise.
  TextStyle narrow_code(Align align = Align::left) const { return {px(11), Face::mono, align}; }
  TextStyle small_code(Align align = Align::left) const { return {px(10), Face::mono, align}; }
};

Theme make_theme(bool dark, float scale = 1);

// The sample of a role in a legend.
void draw_role(Canvas& canvas, const Theme& theme, Rect area, Role role);

}  // namespace ridge::view
