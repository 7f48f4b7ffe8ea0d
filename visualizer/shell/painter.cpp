#include "visualizer/shell/painter.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <backends/imgui_impl_opengl3.h>

#include <ctime>
#include <stdexcept>

#include "visualizer/draw/svg_canvas.h"

namespace ridge::view {
namespace {

double processor_seconds() {  // of this thread
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

Painter::Painter() {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // save no settings: the layout is fixed
  if (!ImGui_ImplOpenGL3_Init("#version 330"))
    throw std::runtime_error(
        "OpenGL 3.3 could not be set up. Install a driver; Mesa's works everywhere: sudo apt-get install "
        "libgl1-mesa-dri");
}

Painter::~Painter() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

bool Painter::paint(App& app, int width, int height, double seconds) {
  if (scale_ != app.theme().scale) {
    scale_ = app.theme().scale;
    fonts_.load(scale_);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
    if (!fonts_.missing().empty() && !said_ && app.session().message.empty())
      app.session().message = fonts_.missing();
    said_ = true;
  }
  const double begin = processor_seconds();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DeltaTime = static_cast<float>(std::max(seconds, 1e-4));
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  textures_.next_frame();
  ImguiCanvas canvas(*ImGui::GetBackgroundDrawList(), fonts_, textures_);
  const bool more = app.draw(canvas, {0, 0, io.DisplaySize.x, io.DisplaySize.y}, seconds);
  ImGui::Render();
  build_seconds_ = processor_seconds() - begin;
  glViewport(0, 0, width, height);
  const Color back = app.theme().background;
  glClearColor(static_cast<float>(back.r) / 255, static_cast<float>(back.g) / 255,
               static_cast<float>(back.b) / 255, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  return more;
}

std::string Painter::svg(App& app, int width, int height, Rect part) {
  const Rect whole{0, 0, static_cast<float>(width), static_cast<float>(height)};
  ImguiCanvas ruler(*ImGui::GetBackgroundDrawList(), fonts_, textures_);
  SvgCanvas canvas(whole.w, whole.h, ruler);
  canvas.push_clip(part);
  app.draw(canvas, whole, 0);
  canvas.pop_clip();
  return canvas.svg(part);
}

std::vector<Color> Painter::pixels(int width, int height) const {
  std::vector<Color> below(static_cast<size_t>(width) * height), picture(below.size());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, below.data());
  for (int y = 0; y < height; ++y)
    std::copy_n(below.begin() + static_cast<ptrdiff_t>(height - 1 - y) * width, width,
                picture.begin() + static_cast<ptrdiff_t>(y) * width);
  for (Color& c : picture)
    c.a = 255;
  return picture;
}

}  // namespace ridge::view
