// ImGui on the current OpenGL context: draws the app's pictures and reads them back.
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

  // Draws into the bound framebuffer. Returns true when another picture is due.
  bool paint(App& app, int width, int height, double seconds);
  std::vector<Color> pixels(int width, int height) const;  // of the framebuffer, top row first
  // Part of the same picture as an SVG file.
  std::string svg(App& app, int width, int height, Rect part);
  // Processor time of the last paint() for building its lists, without OpenGL.
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
