// The canvas over ImDrawList, for the window and the headless shell. Code that depends on ImGui's
// version is in imgui_canvas.cpp.
#pragma once

#include <imgui.h>

#include <unordered_map>

#include "visualizer/draw/canvas.h"
#include "visualizer/shell/fonts.h"

namespace ridge::view {

// Images as OpenGL textures; textures that were not drawn for some time are freed.
class Textures {
 public:
  ~Textures();
  unsigned of(const Image& image);
  void next_frame();

 private:
  struct Held {
    unsigned name = 0;
    uint64_t frame = 0;
  };
  std::unordered_map<uint64_t, Held> held_;
  uint64_t frame_ = 0;
};

class ImguiCanvas : public Canvas {
 public:
  ImguiCanvas(ImDrawList& list, const Fonts& fonts, Textures& textures)
      : list_(list), fonts_(fonts), textures_(textures) {}

  void line(Point from, Point to, Color color, float width) override;
  void polyline(std::span<const Point> points, Color color, float width) override;
  void curve(Point from, Point control1, Point control2, Point to, Color color, float width) override;
  void polygon(std::span<const Point> points, Color fill) override;
  void box(Rect area, Color fill, float rounding) override;
  void frame(Rect area, Color color, float width, float rounding) override;
  void disc(Point centre, float radius, Color fill) override;
  void ring(Point centre, float radius, Color color, float width) override;
  void text(Point at, std::string_view words, Color color, const TextStyle& style) override;
  float text_width(std::string_view words, const TextStyle& style) override;
  void image(Rect area, const Image& image) override;

 protected:
  void begin_clip(Rect area) override;
  void end_clip() override;

 private:
  ImDrawList& list_;
  const Fonts& fonts_;
  Textures& textures_;
};

}  // namespace ridge::view
