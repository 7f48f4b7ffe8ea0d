// The command-line options of ridge-view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ridge::view {

struct Options {
  std::string file, second, view, theme = "dark", picture, keys, clone, lab;
  int width = 1600, height = 1000;
  float scale = 0;  // 0: the screen's scale
  std::optional<uint64_t> at, block;
  std::optional<std::pair<float, float>> mouse;
  std::string panel;        // id of a panel; empty: the whole picture
  double play_seconds = 0;  // > 0: the picture is animated
  bool measure = false;
};

}  // namespace ridge::view
