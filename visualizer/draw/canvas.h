// The interface that views draw to. Implementations are the window (imgui_canvas.h), an SVG file
// (svg_canvas.h) and a recorder for tests (recorder.h). Views do not depend on OpenGL, and a figure
// in the course is exactly the picture on the screen.
//
// In addition to shapes, a view creates *regions*: areas in which the mouse has a meaning, with a
// tooltip and a gesture handler. The shell finds the topmost region under the mouse; tests find
// regions by id.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/draw/geometry.h"

namespace ridge::view {

enum class Face : uint8_t { text, bold, mono };
enum class Align : uint8_t { left, centre, right };  // position of the text relative to its point

struct TextStyle {
  float size = 13;  // pixels
  Face face = Face::text;
  Align align = Align::left;
};

// A heat map or any other picture of cells. `version` changes with the pixels: only then are
// textures recreated.
struct Image {
  int width = 0, height = 0;
  std::vector<Color> pixels;  // [height][width]
  uint64_t version = 0;       // from next_image_version(); 0: not drawn yet
};
uint64_t next_image_version();

enum class GestureKind : uint8_t { hover, press, drag, release, wheel };
struct Gesture {
  GestureKind kind = GestureKind::hover;
  Point at = {};     // position of the mouse
  Point moved = {};  // drag: since the last one
  float wheel = 0;   // > 0: away from the user
  bool shift = false, control = false;
};

struct Region {
  Rect area;                             // already clipped
  // "lane/7", "sector/3", "button/play": the same in every frame.
  std::string id;
  std::function<std::string()> tooltip;  // its lines; may be empty: no tooltip
  std::function<void(const Gesture&)> act;
};

class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual void line(Point from, Point to, Color color, float width = 1) = 0;
  virtual void polyline(std::span<const Point> points, Color color, float width = 1) = 0;
  // A cubic Bezier curve.
  virtual void curve(Point from, Point control1, Point control2, Point to, Color color, float width = 1) = 0;
  virtual void polygon(std::span<const Point> points, Color fill) = 0;  // convex
  virtual void box(Rect area, Color fill, float rounding = 0) = 0;
  virtual void frame(Rect area, Color color, float width = 1, float rounding = 0) = 0;
  virtual void disc(Point centre, float radius, Color fill) = 0;
  virtual void ring(Point centre, float radius, Color color, float width = 1) = 0;
  // Diagonal lines `spacing` apart: the pattern of fetched and unused data.
  virtual void hatch(Rect area, Color color, float spacing = 5, float width = 1);
  // `at` is the vertical centre of the line; no line breaks. The caller must shorten text that is
  // too wide.
  virtual void text(Point at, std::string_view words, Color color, const TextStyle& style) = 0;
  virtual float text_width(std::string_view words, const TextStyle& style) = 0;
  // Scales to the area, without smoothing.
  virtual void image(Rect area, const Image& image) = 0;

  // Clips shapes and regions until pop_clip().
  void push_clip(Rect area);
  void pop_clip();
  Rect clip() const { return clips_.empty() ? Rect{-1e6f, -1e6f, 2e6f, 2e6f} : clips_.back(); }

  void region(Rect area, std::string id, std::function<std::string()> tooltip,
              std::function<void(const Gesture&)> act = {});
  std::span<const Region> regions() const { return regions_; }  // the last one is on top
  void clear_regions() { regions_.clear(); }
  // Adds a prefix to the ids from `first` on, for a picture that is shown twice.
  void rename_regions(size_t first, std::string_view prefix);

  // `words` cut to `width`, with "..." at the end if something is missing.
  std::string shortened(std::string_view words, float width, const TextStyle& style);
  // Splits the text at spaces and line breaks into lines of at most `width`.
  std::vector<std::string> wrapped(std::string_view words, float width, const TextStyle& style);

 protected:
  virtual void begin_clip(Rect area) = 0;  // already intersected with the previous clip
  virtual void end_clip() = 0;

 private:
  std::vector<Rect> clips_;
  std::vector<Region> regions_;
};

// Clips during its lifetime.
class Clip {
 public:
  Clip(Canvas& canvas, Rect area) : canvas_(canvas) { canvas_.push_clip(area); }
  ~Clip() { canvas_.pop_clip(); }
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

 private:
  Canvas& canvas_;
};

}  // namespace ridge::view
