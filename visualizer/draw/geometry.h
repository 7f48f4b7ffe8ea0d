// Points, rectangles and colours of the pictures. Units are pixels of the picture, y downwards.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ridge::view {

struct Point {
  float x = 0, y = 0;
  bool operator==(const Point&) const = default;
};
inline Point mix(Point a, Point b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
  bool operator==(const Rect&) const = default;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  Point centre() const { return {x + w / 2, y + h / 2}; }
  bool empty() const { return w <= 0 || h <= 0; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  Rect inset(float d) const { return inset(d, d); }
  Rect inset(float dx, float dy) const {
    return {x + dx, y + dy, std::max(0.0f, w - 2 * dx), std::max(0.0f, h - 2 * dy)};
  }
  Rect clipped(const Rect& by) const {
    const float left = std::max(x, by.x), top = std::max(y, by.y);
    return {left, top, std::max(0.0f, std::min(right(), by.right()) - left),
            std::max(0.0f, std::min(bottom(), by.bottom()) - top)};
  }
  // Cut off a strip: the strip is returned, *this is the remaining area.
  Rect take_left(float width) {
    width = std::clamp(width, 0.0f, w);
    const Rect strip{x, y, width, h};
    x += width, w -= width;
    return strip;
  }
  Rect take_right(float width) {
    width = std::clamp(width, 0.0f, w);
    w -= width;
    return {x + w, y, width, h};
  }
  Rect take_top(float height) {
    height = std::clamp(height, 0.0f, h);
    const Rect strip{x, y, w, height};
    y += height, h -= height;
    return strip;
  }
  Rect take_bottom(float height) {
    height = std::clamp(height, 0.0f, h);
    h -= height;
    return {x, y + h, w, height};
  }
};

struct Color {
  uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Color&) const = default;
  Color faded(float by) const {  // by 0: invisible, 1: unchanged
    Color c = *this;
    c.a = static_cast<uint8_t>(static_cast<float>(a) * std::clamp(by, 0.0f, 1.0f) + 0.5f);
    return c;
  }
};
constexpr Color rgb(uint32_t hex) {
  return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8), static_cast<uint8_t>(hex), 255};
}
inline Color mix(Color a, Color b, float t) {
  const auto one = [t](uint8_t from, uint8_t to) {
    return static_cast<uint8_t>(static_cast<float>(from) +
                                (static_cast<float>(to) - static_cast<float>(from)) * t + 0.5f);
  };
  return {one(a.r, b.r), one(a.g, b.g), one(a.b, b.b), one(a.a, b.a)};
}

}  // namespace ridge::view
