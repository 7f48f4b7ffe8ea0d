// OpenGL without a window or a display: EGL's surfaceless platform with a framebuffer of our own.
#pragma once

namespace ridge::view {

class Headless {
 public:
  // Throws std::runtime_error that says what to install.
  Headless(int width, int height);
  ~Headless();
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
  unsigned framebuffer_ = 0, texture_ = 0;
};

}  // namespace ridge::view
