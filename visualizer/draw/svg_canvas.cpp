#include "visualizer/draw/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ridge::view {
namespace {

// At most two decimals, and only if needed: this halves the file's size.
std::string number(float value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0')
    text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string paint(const char* what, Color c) {
  std::string text = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", what, c.r, c.g, c.b);
  if (c.a != 255) text += fmt::format(" {}-opacity=\"{}\"", what, number(static_cast<float>(c.a) / 255));
  return text;
}

std::string stroke(Color color, float width) {
  return paint("stroke", color) + fmt::format(" stroke-width=\"{}\" fill=\"none\"", number(width));
}

std::string escaped(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else if (static_cast<uint8_t>(c) >= 32 || c == '\t')
      text += c;
  }
  return text;
}

std::string points_of(std::span<const Point> points) {
  std::string text;
  for (const Point& p : points)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", number(p.x), number(p.y));
  return text;
}

std::string place(Rect a) {
  return fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(a.x), number(a.y), number(a.w),
                     number(a.h));
}

Rect around(std::span<const Point> points, float margin) {
  Point least = points.front(), most = points.front();
  for (const Point& p : points)
    least = {std::min(least.x, p.x), std::min(least.y, p.y)},
    most = {std::max(most.x, p.x), std::max(most.y, p.y)};
  return {least.x - margin, least.y - margin, most.x - least.x + 2 * margin, most.y - least.y + 2 * margin};
}

}  // namespace

bool SvgCanvas::outside(Rect area) const {
  const Rect seen = area.clipped(clip());
  return seen.w <= 0 || seen.h <= 0;
}

void SvgCanvas::line(Point a, Point b, Color color, float width) {
  if (outside(around(std::array{a, b}, width))) return;
  body_ += fmt::format("<path d=\"M{} {}L{} {}\"{}/>\n", number(a.x), number(a.y), number(b.x), number(b.y),
                       stroke(color, width));
}
void SvgCanvas::polyline(std::span<const Point> points, Color color, float width) {
  if (points.empty() || outside(around(points, width))) return;
  body_ += fmt::format("<polyline points=\"{}\"{}/>\n", points_of(points), stroke(color, width));
}
void SvgCanvas::curve(Point a, Point c1, Point c2, Point b, Color color, float width) {
  // A curve is in the convex hull of its four points.
  if (outside(around(std::array{a, c1, c2, b}, width))) return;
  body_ +=
      fmt::format("<path d=\"M{} {}C{} {} {} {} {} {}\"{}/>\n", number(a.x), number(a.y), number(c1.x),
                  number(c1.y), number(c2.x), number(c2.y), number(b.x), number(b.y), stroke(color, width));
}
void SvgCanvas::polygon(std::span<const Point> points, Color fill) {
  if (points.empty() || outside(around(points, 0))) return;
  body_ += fmt::format("<polygon points=\"{}\"{}/>\n", points_of(points), paint("fill", fill));
}
void SvgCanvas::box(Rect area, Color fill, float rounding) {
  if (outside(area)) return;
  body_ += fmt::format("<rect {}{}{}/>\n", place(area),
                       rounding > 0 ? fmt::format(" rx=\"{}\"", number(rounding)) : "", paint("fill", fill));
}
void SvgCanvas::frame(Rect area, Color color, float width, float rounding) {
  if (outside(area)) return;
  body_ += fmt::format("<rect {}{}{}/>\n", place(area),
                       rounding > 0 ? fmt::format(" rx=\"{}\"", number(rounding)) : "", stroke(color, width));
}
void SvgCanvas::disc(Point c, float radius, Color fill) {
  if (outside(around(std::array{c}, radius))) return;
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", number(c.x), number(c.y), number(radius),
                       paint("fill", fill));
}
void SvgCanvas::ring(Point c, float radius, Color color, float width) {
  if (outside(around(std::array{c}, radius + width))) return;
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", number(c.x), number(c.y), number(radius),
                       stroke(color, width));
}

void SvgCanvas::text(Point at, std::string_view words, Color color, const TextStyle& style) {
  const float wide = text_width(words, style);
  const float left = style.align == Align::left ? 0 : style.align == Align::centre ? wide / 2 : wide;
  if (outside({at.x - left, at.y - style.size, wide, 2 * style.size})) return;
  const char* anchor = style.align == Align::left ? "start" : style.align == Align::centre ? "middle" : "end";
  const char* family =
      style.face == Face::mono ? "JetBrains Mono,DejaVu Sans Mono,monospace" : "Inter,DejaVu Sans,sans-serif";
  // textLength: other fonts must not change the layout.
  body_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-family=\"{}\" font-size=\"{}\"{} text-anchor=\"{}\" textLength=\"{}\" "
      "lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"{}>{}</text>\n",
      number(at.x), number(at.y + style.size * 0.35f), family, number(style.size),
      style.face == Face::bold ? " font-weight=\"600\"" : "", anchor, number(wide), paint("fill", color),
      escaped(words));
}

float SvgCanvas::text_width(std::string_view words, const TextStyle& style) {
  return ruler_.text_width(words, style);
}

// Merges neighbours of one colour in a row into one rectangle.
void SvgCanvas::image(Rect area, const Image& image) {
  if (image.width == 0 || image.height == 0) return;
  const float w = area.w / static_cast<float>(image.width), h = area.h / static_cast<float>(image.height);
  body_ += "<g shape-rendering=\"crispEdges\">\n";
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width;) {
      const auto pixel = [&](int at) { return image.pixels[static_cast<size_t>(y) * image.width + at]; };
      int end = x + 1;
      while (end < image.width && pixel(end) == pixel(x))
        ++end;
      if (pixel(x).a != 0)
        box({area.x + w * static_cast<float>(x), area.y + h * static_cast<float>(y),
             w * static_cast<float>(end - x), h},
            pixel(x), 0);
      x = end;
    }
  body_ += "</g>\n";
}

void SvgCanvas::begin_clip(Rect area) {
  body_ += fmt::format("<clipPath id=\"c{}\"><rect {}/></clipPath><g clip-path=\"url(#c{})\">\n", clips_,
                       place(area), clips_);
  ++clips_;
}
void SvgCanvas::end_clip() {
  body_ += "</g>\n";
}

std::string SvgCanvas::svg(Rect part) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"{2} {3} {0} "
             "{1}\">\n",
             number(part.w), number(part.h), number(part.x), number(part.y)) +
         body_ + "</svg>\n";
}

}  // namespace ridge::view
