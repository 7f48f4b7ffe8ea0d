#include "visualizer/shell/imgui_canvas.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

namespace ridge::view {
namespace {

ImU32 packed(Color c) {
  return IM_COL32(c.r, c.g, c.b, c.a);
}
ImVec2 vec(Point p) {
  return {p.x, p.y};
}
static_assert(sizeof(Point) == sizeof(ImVec2), "polylines are handed over as they are");
const ImVec2* vecs(std::span<const Point> points) {
  return reinterpret_cast<const ImVec2*>(points.data());
}

// ImTextureID was a pointer until 1.91.4, and is an integer since.
#if IMGUI_VERSION_NUM < 19140
ImTextureID texture_id(unsigned name) {
  return reinterpret_cast<ImTextureID>(static_cast<uintptr_t>(name));
}
#else
ImTextureID texture_id(unsigned name) {
  return static_cast<ImTextureID>(name);
}
#endif

}  // namespace

Textures::~Textures() {
  for (const auto& [version, held] : held_)
    glDeleteTextures(1, &held.name);
}

unsigned Textures::of(const Image& image) {
  Held& held = held_[image.version];
  held.frame = frame_;
  if (held.name) return held.name;
  GLint before = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &before);
  glGenTextures(1, &held.name);
  glBindTexture(GL_TEXTURE_2D, held.name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               image.pixels.data());
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before));
  return held.name;
}

void Textures::next_frame() {
  ++frame_;
  std::erase_if(held_, [this](const auto& entry) {
    if (entry.second.frame + 60 > frame_) return false;
    glDeleteTextures(1, &entry.second.name);
    return true;
  });
}

void ImguiCanvas::line(Point from, Point to, Color color, float width) {
  list_.AddLine(vec(from), vec(to), packed(color), width);
}
void ImguiCanvas::polyline(std::span<const Point> points, Color color, float width) {
  list_.AddPolyline(vecs(points), static_cast<int>(points.size()), packed(color), ImDrawFlags_None, width);
}
void ImguiCanvas::curve(Point from, Point control1, Point control2, Point to, Color color, float width) {
  list_.AddBezierCubic(vec(from), vec(control1), vec(control2), vec(to), packed(color), width);
}
void ImguiCanvas::polygon(std::span<const Point> points, Color fill) {
  list_.AddConvexPolyFilled(vecs(points), static_cast<int>(points.size()), packed(fill));
}
void ImguiCanvas::box(Rect a, Color fill, float rounding) {
  list_.AddRectFilled({a.x, a.y}, {a.right(), a.bottom()}, packed(fill), rounding);
}
void ImguiCanvas::frame(Rect a, Color color, float width, float rounding) {
  list_.AddRect({a.x, a.y}, {a.right(), a.bottom()}, packed(color), rounding, ImDrawFlags_None, width);
}
void ImguiCanvas::disc(Point centre, float radius, Color fill) {
  list_.AddCircleFilled(vec(centre), radius, packed(fill));
}
void ImguiCanvas::ring(Point centre, float radius, Color color, float width) {
  list_.AddCircle(vec(centre), radius, packed(color), 0, width);
}

void ImguiCanvas::text(Point at, std::string_view words, Color color, const TextStyle& style) {
  if (words.empty()) return;
  const float width = style.align == Align::left ? 0 : text_width(words, style),
              height = style.size * kHeightOfEm;
  const float left = style.align == Align::left     ? at.x
                     : style.align == Align::centre ? at.x - width / 2
                                                    : at.x - width;
  // Align to whole pixels: letters between pixels are blurred.
  list_.AddText(fonts_.find(style), height, {std::round(left), std::round(at.y - height / 2)}, packed(color),
                words.data(), words.data() + words.size());
}

float ImguiCanvas::text_width(std::string_view words, const TextStyle& style) {
  if (words.empty()) return 0;
  return fonts_.find(style)
      ->CalcTextSizeA(style.size * kHeightOfEm, 1e9f, 0, words.data(), words.data() + words.size())
      .x;
}

void ImguiCanvas::image(Rect a, const Image& image) {
  if (image.width == 0 || image.height == 0 || image.version == 0) return;
  list_.AddImage(texture_id(textures_.of(image)), {a.x, a.y}, {a.right(), a.bottom()});
}

void ImguiCanvas::begin_clip(Rect a) {
  list_.PushClipRect({a.x, a.y}, {a.right(), a.bottom()}, false);
}
void ImguiCanvas::end_clip() {
  list_.PopClipRect();
}

}  // namespace ridge::view
