#include "visualizer/shell/play_animation.h"

namespace ridge::view {

std::vector<Color> cut_out(std::span<const Color> pixels, int width, Rect part) {
  const int left = static_cast<int>(part.x), top = static_cast<int>(part.y);
  const int w = static_cast<int>(part.w), h = static_cast<int>(part.h);
  std::vector<Color> cut;
  cut.reserve(static_cast<size_t>(w) * static_cast<size_t>(h));
  for (int y = top; y < top + h; ++y) {
    const auto row = pixels.begin() + static_cast<ptrdiff_t>(y) * width;
    cut.insert(cut.end(), row + left, row + left + w);
  }
  return cut;
}

Animation play_animation(App& app, Painter& painter, int width, int height, Rect part, double seconds) {
  constexpr int kMilliseconds = 100;  // 10 pictures per second make a move of 0.35 s visible
  constexpr int kRestAtEnd = 1200;
  Playback& playback = app.session().playback();
  const size_t begin = playback.at();
  Animation animation(static_cast<int>(part.w), static_cast<int>(part.h));
  const auto add = [&](double passed, int shown) {
    painter.paint(app, width, height, passed);
    animation.add(cut_out(painter.pixels(width, height), width, part), shown);
  };
  playback.rest();
  add(0, 800);
  if (begin + 1 < playback.size() && !playback.playing()) playback.toggle();
  for (double passed = 0; passed < seconds && (playback.playing() || playback.moving());
       passed += kMilliseconds / 1e3)
    add(kMilliseconds / 1e3, kMilliseconds);
  playback.pause();
  playback.rest();
  add(0, kRestAtEnd);
  playback.go_to(begin);
  playback.rest();
  return animation;
}

}  // namespace ridge::view
