#include "visualizer/draw/recorder.h"

namespace ridge::view {
namespace {

Rect around(std::span<const Point> points) {
  if (points.empty()) return {};
  Point low = points.front(), high = low;
  for (const Point& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return {low.x, low.y, high.x - low.x, high.y - low.y};
}

}  // namespace

void Recorder::add(ShapeKind kind, Rect area, Color color, std::string_view words) {
  const Rect c = clip();
  const bool visible = area.right() >= c.x && area.x <= c.right() && area.bottom() >= c.y &&
                       area.y <= c.bottom() && color.a != 0;
  shapes_.push_back({kind, area, color, std::string(words), visible});
}

void Recorder::line(Point from, Point to, Color color, float) {
  add(ShapeKind::line, around(std::array{from, to}), color);
}
void Recorder::polyline(std::span<const Point> points, Color color, float) {
  add(ShapeKind::polyline, around(points), color);
}
void Recorder::curve(Point from, Point, Point, Point to, Color color, float) {
  add(ShapeKind::curve, around(std::array{from, to}), color);
}
void Recorder::polygon(std::span<const Point> points, Color fill) {
  add(ShapeKind::polygon, around(points), fill);
}
void Recorder::box(Rect area, Color fill, float) {
  add(ShapeKind::box, area, fill);
}
void Recorder::frame(Rect area, Color color, float, float) {
  add(ShapeKind::frame, area, color);
}
void Recorder::disc(Point centre, float radius, Color fill) {
  add(ShapeKind::disc, {centre.x - radius, centre.y - radius, 2 * radius, 2 * radius}, fill);
}
void Recorder::ring(Point centre, float radius, Color color, float) {
  add(ShapeKind::ring, {centre.x - radius, centre.y - radius, 2 * radius, 2 * radius}, color);
}
void Recorder::hatch(Rect area, Color color, float, float) {
  add(ShapeKind::hatch, area, color);
}
void Recorder::image(Rect area, const Image&) {
  add(ShapeKind::image, area, {});
}

float Recorder::text_width(std::string_view words, const TextStyle& style) {
  const float letter = style.face == Face::mono ? 0.6f : style.face == Face::bold ? 0.57f : 0.54f;
  size_t letters = 0;
  for (const char c : words)
    letters += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
  return letter * style.size * static_cast<float>(letters);
}

void Recorder::text(Point at, std::string_view words, Color color, const TextStyle& style) {
  const float width = text_width(words, style);
  const float left = style.align == Align::left ? 0 : style.align == Align::centre ? width / 2 : width;
  add(ShapeKind::text, {at.x - left, at.y - style.size / 2, width, style.size}, color, words);
}

size_t Recorder::count(ShapeKind kind) const {
  return static_cast<size_t>(std::count_if(shapes_.begin(), shapes_.end(),
                                           [&](const Shape& s) { return s.kind == kind && s.visible; }));
}

size_t Recorder::count(ShapeKind kind, Color color) const {
  return static_cast<size_t>(std::count_if(shapes_.begin(), shapes_.end(), [&](const Shape& s) {
    return s.kind == kind && s.visible && s.color == color;
  }));
}

bool Recorder::says(std::string_view words) const {
  return std::any_of(shapes_.begin(), shapes_.end(), [&](const Shape& s) {
    return s.kind == ShapeKind::text && s.visible && s.words.find(words) != std::string::npos;
  });
}

std::string Recorder::all_text() const {
  std::string all;
  for (const Shape& s : shapes_)
    if (s.kind == ShapeKind::text && s.visible) all += s.words + "\n";
  return all;
}

const Region* Recorder::find(std::string_view id) const {
  for (const Region& r : regions())
    if (r.id == id) return &r;
  return nullptr;
}

size_t Recorder::regions_under(std::string_view prefix) const {
  return static_cast<size_t>(std::count_if(regions().begin(), regions().end(),
                                           [&](const Region& r) { return r.id.starts_with(prefix); }));
}

void Recorder::clear() {
  shapes_.clear();
  clear_regions();
}

}  // namespace ridge::view
