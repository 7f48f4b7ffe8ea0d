// The visible part of a picture that is larger than its area. The wheel and W and S zoom, dragging
// and A and D move, F fits.
#pragma once

#include "visualizer/draw/canvas.h"

namespace ridge::view {

class Zoom {
 public:
  // The rectangle of the whole picture when `area` shows part of it.
  Rect spread(Rect area) const {
    return {area.x - left_ * area.w * factor_, area.y - top_ * area.h * factor_, area.w * factor_,
            area.h * factor_};
  }
  bool fits() const { return factor_ == 1; }
  float factor() const { return factor_; }
  void fit() { factor_ = 1, left_ = top_ = 0; }

  // Zooms so that the content at `at` does not move.
  void zoom(Rect area, Point at, float by) {
    const Rect before = spread(area);
    const float x = (at.x - before.x) / before.w, y = (at.y - before.y) / before.h;
    factor_ = std::clamp(factor_ * by, 1.0f, kMost);
    left_ = x - (at.x - area.x) / (area.w * factor_);
    top_ = y - (at.y - area.y) / (area.h * factor_);
    keep_inside();
  }
  void pan(Rect area, Point by) {
    left_ -= by.x / (area.w * factor_);
    top_ -= by.y / (area.h * factor_);
    keep_inside();
  }
  // Returns true when it used the gesture.
  bool act(Rect area, const Gesture& g) {
    if (g.kind == GestureKind::wheel) return zoom(area, g.at, g.wheel > 0 ? 1.25f : 0.8f), true;
    if (g.kind == GestureKind::drag && !fits()) return pan(area, g.moved), true;
    return false;
  }
  bool press(Rect area, char key) {
    const float step = area.w * 0.12f;
    if (key == 'w' || key == 's') return zoom(area, area.centre(), key == 'w' ? 1.25f : 0.8f), true;
    if (key == 'a' || key == 'd') return pan(area, {key == 'a' ? step : -step, 0}), true;
    if (key == 'f') return fit(), true;
    return false;
  }

 private:
  static constexpr float kMost = 64;
  void keep_inside() {
    const float room = 1 - 1 / factor_;
    left_ = std::clamp(left_, 0.0f, room), top_ = std::clamp(top_, 0.0f, room);
  }
  float factor_ = 1, left_ = 0, top_ = 0;  // parts of the picture to the left of and above the area
};

}  // namespace ridge::view
