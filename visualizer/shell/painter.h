// ImGui over the OpenGL context that is current: draws the app's pictures, reads them back.
#pragma once

#include <vector>

#include "visualizer/app/app.h"
#include "visualizer/shell/imgui_canvas.h"

namespace ridge::view {

class Painter {
 public:
  Painter();
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  // True: another picture is due. Into the framebuffer that is bound.
  bool paint(App& app, int width, int height, double seconds);
  std::vector<Color> pixels(int width, int height) const;  // of the framebuffer, the top row first
  // The same picture as an SVG file; of a part of it.
  std::string svg(App& app, int width, int height, Rect part);
  // Processor time that the last paint() took until its lists were built, OpenGL not counted.
  double build_seconds() const { return build_seconds_; }
  const Fonts& fonts() const { return fonts_; }

 private:
  Fonts fonts_;
  Textures textures_;
  float scale_ = 0;
  double build_seconds_ = 0;
  bool said_ = false;
};

}  // namespace ridge::view
