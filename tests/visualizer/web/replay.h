// Draws a list of commands onto a canvas, as the page does onto an HTML canvas.
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "text/bit_cast.h"
#include "visualizer/web/command_canvas.h"

namespace ridge::view {

class Replay {
 public:
  Replay(std::span<const uint32_t> words, Canvas& canvas) : words_(words), canvas_(canvas) {
    while (at_ < words_.size())
      draw_one();
  }
  std::vector<uint32_t> pictures;  // keys of those that were sent, in order

 private:
  uint32_t u() {
    if (at_ >= words_.size()) throw std::runtime_error("the list ends within a command");
    return words_[at_++];
  }
  float f() { return text::bit_cast<float>(u()); }
  Color color() {
    const uint32_t word = u();
    return {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8),
            static_cast<uint8_t>(word >> 16), static_cast<uint8_t>(word >> 24)};
  }
  Point point() {
    const float x = f();
    return {x, f()};
  }
  Rect rect() {
    const Point at = point(), size = point();
    return {at.x, at.y, size.x, size.y};
  }
  std::vector<Point> points() {
    std::vector<Point> all(u());
    for (Point& one : all)
      one = point();
    return all;
  }

  void draw_one() {
    const auto command = static_cast<Command>(u());
    switch (command) {
      case Command::segments: {
        const Color ink = color();
        const float width = f();
        for (uint32_t left = u(); left > 0; --left) {
          const Point from = point(), to = point();
          canvas_.line(from, to, ink, width);
        }
        return;
      }
      case Command::polyline: {
        const Color ink = color();
        const float width = f();
        return canvas_.polyline(points(), ink, width);
      }
      case Command::curve: {
        const Color ink = color();
        const float width = f();
        const Point from = point(), control1 = point(), control2 = point(), to = point();
        return canvas_.curve(from, control1, control2, to, ink, width);
      }
      case Command::polygon: {
        const Color ink = color();
        return canvas_.polygon(points(), ink);
      }
      case Command::box: {
        const Color ink = color();
        const Rect area = rect();
        return canvas_.box(area, ink, f());
      }
      case Command::frame: {
        const Color ink = color();
        const float width = f();
        const Rect area = rect();
        return canvas_.frame(area, ink, width, f());
      }
      case Command::disc: {
        const Color ink = color();
        const Point centre = point();
        return canvas_.disc(centre, f(), ink);
      }
      case Command::ring: {
        const Color ink = color();
        const float width = f();
        const Point centre = point();
        return canvas_.ring(centre, f(), ink, width);
      }
      case Command::text:
        return draw_text();
      case Command::picture: {
        pictures.push_back(u());
        const size_t width = u(), height = u();
        if (words_.size() - at_ < width * height)
          throw std::runtime_error("the list ends within a picture");
        at_ += width * height;
        return;
      }
      case Command::image: {
        u();
        return canvas_.image(rect(), {});
      }
      case Command::clip:
        return canvas_.push_clip(rect());
      case Command::unclip:
        return canvas_.pop_clip();
    }
    throw std::runtime_error("a word is no command");
  }

  void draw_text() {
    const Color ink = color();
    TextStyle style;
    style.face = static_cast<Face>(u());
    style.align = static_cast<Align>(u());
    style.size = f();
    const Point at = point();
    std::string words(u(), ' ');
    std::memcpy(words.data(), words_.data() + at_, words.size());
    at_ += (words.size() + 3) / 4;
    canvas_.text(at, words, ink, style);
  }

  std::span<const uint32_t> words_;
  size_t at_ = 0;
  Canvas& canvas_;
};

}  // namespace ridge::view
