// Inter and JetBrains Mono from the distribution's packages, in the sizes of the theme.
#pragma once

#include <imgui.h>

#include <array>
#include <string>

#include "visualizer/draw/canvas.h"

namespace ridge::view {

// ImGui measures a font from its highest to its lowest letter; a style's size is the em, as
// elsewhere.
inline constexpr float kHeightOfEm = 1.2f;

class Fonts {
 public:
  // Rebuilds the current context's atlas; the caller creates its texture. `missing` lists the fonts
  // that were not found, and what to install; another font replaces them.
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
