// A canvas that writes an SVG file: for the figures of the course, and for Ctrl+Shift+S.
#pragma once

#include <string>

#include "visualizer/draw/canvas.h"

namespace ridge::view {

class SvgCanvas : public Canvas {
 public:
  // `ruler` (with the window's fonts) measures text, so that the figure has the layout of the
  // screen.
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
  // The same for part of the picture.
  std::string svg(Rect part) const;

 protected:
  void begin_clip(Rect area) override;
  void end_clip() override;

 private:
  // Tests the clipped area: a panel's file contains nothing of other panels.
  bool outside(Rect area) const;

  float width_, height_;
  Canvas& ruler_;
  int clips_ = 0;
  std::string body_;
};

}  // namespace ridge::view
