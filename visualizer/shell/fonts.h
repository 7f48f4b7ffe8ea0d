// Inter and JetBrains Mono from the distribution's packages, in the few sizes the theme uses.
#pragma once

#include <imgui.h>

#include <array>
#include <string>

#include "visualizer/draw/canvas.h"

namespace ridge::view {

// A font's size in ImGui is from its highest to its lowest letter; a style's is the em, as everywhere else.
inline constexpr float kHeightOfEm = 1.2f;

class Fonts {
 public:
  // Fills the current context's atlas anew; its texture is the caller's to make. `missing` says which fonts
  // were not found, and what to install; letters of another font stand in for them.
  void load(float scale);
  const std::string& missing() const { return missing_; }
  ImFont* find(const TextStyle& style) const;

 private:
  struct Loaded {
    Face face;
    float size;
    ImFont* font;
  };
  std::array<Loaded, 9> loaded_{};
  std::string missing_;
};

}  // namespace ridge::view
