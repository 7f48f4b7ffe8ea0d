// A canvas that writes a list of commands, which a page draws onto an HTML canvas in one go.
//
// A list is 32-bit words, little endian. Each command is its number (Command), then its words; f is a float32, u a
// uint32, `color` is u with red in the low byte and alpha in the high one.
//
//   segments   color, f width, u n, n times (f x, f y, f x, f y)     separate lines
//   polyline   color, f width, u n, n times (f x, f y)
//   curve      color, f width, 4 times (f x, f y)                    a cubic Bezier curve
//   polygon    color, u n, n times (f x, f y)                        filled
//   box        color, f x, f y, f width, f height, f rounding        filled
//   frame      color, f line width, f x, f y, f width, f height, f rounding
//   disc       color, f x, f y, f radius                             filled
//   ring       color, f line width, f x, f y, f radius
//   text       color, u face, u align, f size, f x, f y, u bytes, the UTF-8 bytes, filled up with zeros to a word
//   picture    u key, u width, u height, width * height times color  the pixels of an image: keep the last kPictures
//   image      u key, f x, f y, f width, f height                    draws a kept picture without smoothing
//   clip       f x, f y, f width, f height                           until the matching unclip; clips nest
//   unclip
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "visualizer/draw/canvas.h"
#include "visualizer/web/letter_widths.h"

namespace ridge::view {

enum class Command : uint32_t {
  segments = 1,
  polyline,
  curve,
  polygon,
  box,
  frame,
  disc,
  ring,
  text,
  picture,
  image,
  clip,
  unclip
};

class CommandCanvas : public Canvas {
 public:
  static constexpr size_t kPictures = 6;
  // `widths` must outlive it.
  explicit CommandCanvas(LetterWidths& widths) : widths_(widths) {}

  void line(Point from, Point to, Color color, float width) override;
  void polyline(std::span<const Point> points, Color color, float width) override;
  void curve(Point from, Point control1, Point control2, Point to, Color color,
             float width) override;
  void polygon(std::span<const Point> points, Color fill) override;
  void box(Rect area, Color fill, float rounding) override;
  void frame(Rect area, Color color, float width, float rounding) override;
  void disc(Point centre, float radius, Color fill) override;
  void ring(Point centre, float radius, Color color, float width) override;
  void text(Point at, std::string_view words, Color color, const TextStyle& style) override;
  float text_width(std::string_view words, const TextStyle& style) override;
  void image(Rect area, const Image& image) override;

  std::span<const uint32_t> commands() const { return commands_; }
  // Begins the next list. Pictures that were sent are kept.
  void clear();

 protected:
  void begin_clip(Rect area) override;
  void end_clip() override;

 private:
  void put(uint32_t word) { commands_.push_back(word); }
  void put(float number);
  void put(Color color);
  void put(Point at);
  void put(Rect area);
  void begin(Command command);
  void begin(Command command, Color color);

  LetterWidths& widths_;
  std::vector<uint32_t> commands_;
  size_t open_segments_ =
      0;  // index of the color of the last command if that is segments; 0: it is not
  std::deque<uint64_t> sent_;  // versions of the kept pictures, the oldest first
};

}  // namespace ridge::view
