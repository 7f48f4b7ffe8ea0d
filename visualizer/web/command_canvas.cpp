#include "visualizer/web/command_canvas.h"

#include <algorithm>
#include <cstring>

#include "text/bit_cast.h"

namespace ridge::view {

void CommandCanvas::put(float number) {
  put(text::bit_cast<uint32_t>(number));
}
void CommandCanvas::put(Color color) {
  put(uint32_t{color.r} | uint32_t{color.g} << 8 | uint32_t{color.b} << 16 |
      uint32_t{color.a} << 24);
}
void CommandCanvas::put(Point at) {
  put(at.x), put(at.y);
}
void CommandCanvas::put(Rect area) {
  put(area.x), put(area.y), put(area.w), put(area.h);
}
void CommandCanvas::begin(Command command) {
  open_segments_ = 0;
  put(static_cast<uint32_t>(command));
}
void CommandCanvas::begin(Command command, Color color) {
  begin(command);
  put(color);
}

// A line like the one before continues its command: a hatched area is one path.
void CommandCanvas::line(Point from, Point to, Color color, float width) {
  const size_t begun = open_segments_, end = commands_.size();
  put(color), put(width);
  const bool alike =
      begun != 0 && std::equal(commands_.begin() + static_cast<ptrdiff_t>(end), commands_.end(),
                               commands_.begin() + static_cast<ptrdiff_t>(begun));
  commands_.resize(end);
  if (alike) {
    ++commands_[begun + 2];
  } else {
    begin(Command::segments, color);
    open_segments_ = end + 1;
    put(width), put(uint32_t{1});
  }
  put(from), put(to);
}

void CommandCanvas::polyline(std::span<const Point> points, Color color, float width) {
  if (points.size() < 2) return;
  begin(Command::polyline, color);
  put(width), put(static_cast<uint32_t>(points.size()));
  for (const Point& point : points)
    put(point);
}

void CommandCanvas::curve(Point from, Point control1, Point control2, Point to, Color color,
                          float width) {
  begin(Command::curve, color);
  put(width), put(from), put(control1), put(control2), put(to);
}

void CommandCanvas::polygon(std::span<const Point> points, Color fill) {
  if (points.size() < 3) return;
  begin(Command::polygon, fill);
  put(static_cast<uint32_t>(points.size()));
  for (const Point& point : points)
    put(point);
}

void CommandCanvas::box(Rect area, Color fill, float rounding) {
  begin(Command::box, fill);
  put(area), put(rounding);
}
void CommandCanvas::frame(Rect area, Color color, float width, float rounding) {
  begin(Command::frame, color);
  put(width), put(area), put(rounding);
}
void CommandCanvas::disc(Point centre, float radius, Color fill) {
  begin(Command::disc, fill);
  put(centre), put(radius);
}
void CommandCanvas::ring(Point centre, float radius, Color color, float width) {
  begin(Command::ring, color);
  put(width), put(centre), put(radius);
}

void CommandCanvas::text(Point at, std::string_view words, Color color, const TextStyle& style) {
  if (words.empty()) return;
  begin(Command::text, color);
  put(static_cast<uint32_t>(style.face)), put(static_cast<uint32_t>(style.align)), put(style.size),
      put(at);
  put(static_cast<uint32_t>(words.size()));
  const size_t begin_of_bytes = commands_.size();
  commands_.resize(begin_of_bytes + (words.size() + 3) / 4, 0);
  std::memcpy(commands_.data() + begin_of_bytes, words.data(), words.size());
}

float CommandCanvas::text_width(std::string_view words, const TextStyle& style) {
  return widths_.of(words, style);
}

void CommandCanvas::image(Rect area, const Image& image) {
  if (image.width <= 0 || image.height <= 0 || image.version == 0) return;
  if (std::find(sent_.begin(), sent_.end(), image.version) == sent_.end()) {
    begin(Command::picture);
    put(static_cast<uint32_t>(image.version)), put(static_cast<uint32_t>(image.width));
    put(static_cast<uint32_t>(image.height));
    for (const Color& pixel : image.pixels)
      put(pixel);
    sent_.push_back(image.version);
    if (sent_.size() > kPictures) sent_.pop_front();
  }
  begin(Command::image);
  put(static_cast<uint32_t>(image.version)), put(area);
}

void CommandCanvas::begin_clip(Rect area) {
  begin(Command::clip);
  put(area);
}
void CommandCanvas::end_clip() {
  begin(Command::unclip);
}

void CommandCanvas::clear() {
  commands_.clear();
  open_segments_ = 0;
  clear_regions();
}

}  // namespace ridge::view
