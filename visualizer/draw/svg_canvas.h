// A canvas that is an SVG file: the figures of the course, and what Ctrl+Shift+S saves.
#pragma once

#include <string>

#include "visualizer/draw/canvas.h"

namespace ridge::view {

class SvgCanvas : public Canvas {
 public:
  // Widths of letters come from `ruler` (the window's fonts), so that the figure is laid out as the screen
  // is.
  SvgCanvas(float width, float height, Canvas& ruler) : width_(width), height_(height), ruler_(ruler) {}

  void line(Point from, Point to, Color color, float width) override;
  void polyline(std::span<const Point> points, Color color, float width) override;
  void curve(Point from, Point control1, Point control2, Point to, Color color, float width) override;
  void polygon(std::span<const Point> points, Color fill) override;
  void box(Rect area, Color fill, float rounding) override;
  void frame(Rect area, Color color, float width, float rounding) override;
  void disc(Point centre, float radius, Color fill) override;
  void ring(Point centre, float radius, Color color, float width) override;
  void text(Point at, std::string_view words, Color color, const TextStyle& style) override;
  float text_width(std::string_view words, const TextStyle& style) override;
  void image(Rect area, const Image& image) override;

  std::string svg() const { return svg({0, 0, width_, height_}); }  // the whole file
  std::string svg(Rect part) const;                                 // the same, of a part of the picture

 protected:
  void begin_clip(Rect area) override;
  void end_clip() override;

 private:
  bool outside(Rect area) const;  // of what is clipped: a panel's file holds nothing of the others

  float width_, height_;
  Canvas& ruler_;
  int clips_ = 0;
  std::string body_;
};

}  // namespace ridge::view
