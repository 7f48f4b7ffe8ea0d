// A canvas that records what was drawn, for tests: without OpenGL and fonts. All letters have an
// average width.
#pragma once

#include <string>
#include <vector>

#include "visualizer/draw/canvas.h"

namespace ridge::view {

enum class ShapeKind : uint8_t { line, polyline, curve, polygon, box, frame, disc, ring, hatch, text, image };

struct Shape {
  ShapeKind kind = ShapeKind::line;
  Rect area;  // bounding box; unclipped
  Color color;
  std::string words;    // text
  bool visible = true;  // at least partly inside the clip
};

class Recorder : public Canvas {
 public:
  void line(Point from, Point to, Color color, float width) override;
  void polyline(std::span<const Point> points, Color color, float width) override;
  void curve(Point from, Point control1, Point control2, Point to, Color color, float width) override;
  void polygon(std::span<const Point> points, Color fill) override;
  void box(Rect area, Color fill, float rounding) override;
  void frame(Rect area, Color color, float width, float rounding) override;
  void disc(Point centre, float radius, Color fill) override;
  void ring(Point centre, float radius, Color color, float width) override;
  void hatch(Rect area, Color color, float spacing, float width) override;
  void text(Point at, std::string_view words, Color color, const TextStyle& style) override;
  float text_width(std::string_view words, const TextStyle& style) override;
  void image(Rect area, const Image& image) override;

  const std::vector<Shape>& shapes() const { return shapes_; }
  size_t count(ShapeKind kind) const;
  size_t count(ShapeKind kind, Color color) const;
  bool says(std::string_view words) const;  // a visible text contains them
  std::string all_text() const;             // visible texts, one per line
  const Region* find(std::string_view id) const;
  size_t regions_under(std::string_view prefix) const;  // number of ids with this prefix
  void clear();

 protected:
  void begin_clip(Rect) override {}
  void end_clip() override {}

 private:
  void add(ShapeKind kind, Rect area, Color color, std::string_view words = {});
  std::vector<Shape> shapes_;
};

}  // namespace ridge::view
