// Colours the cells of an array.
#include "visualizer/views/memory/array_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ridge::view {
namespace {

constexpr int kLongestSide = 1024, kStripePeriod = 8;  // pixels

// Colours of a cell: outside and inside its stripes, and the number of stripe pixels per period.
struct CellColors {
  Color plain, stripes;
  int stripe_pixels = 0;
};

CellColors colors_of(const Theme& theme, const HeatCell& cell, ArrayColors colors, uint32_t most) {
  switch (colors) {
    case ArrayColors::reuse:
      return {color_of_reuse(theme, cell.touches, most), {}, 0};
    case ArrayColors::block:
      return {color_of_block(theme, cell.first_block), {}, 0};
    case ArrayColors::writer:
      return {cell.last_writer ? color_of_block(theme, cell.last_writer) : mix(theme.panel, theme.dim, 0.4f),
              {},
              0};
    case ArrayColors::waste:
      break;
  }
  // Small waste shows at least one pixel; large waste leaves at least one.
  const float stripes = cell.wasted * kStripePeriod;
  const int pixels = cell.wasted <= 0 ? 0 : std::clamp(static_cast<int>(stripes + 0.5f), 1, kStripePeriod - 1);
  return {theme.useful, theme.waste, pixels};
}

}  // namespace

std::string_view name_of(ArrayColors colors) {
  static constexpr std::string_view kNames[] = {"waste", "reuse", "first block", "last writer"};
  static_assert(std::size(kNames) == kArrayColors);
  return kNames[static_cast<size_t>(colors)];
}

Color color_of_block(const Theme& theme, uint16_t block) {
  const std::array<Color, 8> colors = {theme.useful,
                                       theme.waste,
                                       theme.level,
                                       theme.focus,
                                       mix(theme.useful, theme.panel, 0.5f),
                                       mix(theme.waste, theme.panel, 0.5f),
                                       mix(theme.level, theme.panel, 0.5f),
                                       theme.dim};
  return colors[(block - 1u) % colors.size()];
}

Color color_of_reuse(const Theme& theme, uint32_t touches, uint32_t most) {
  const int steps = std::max(1, static_cast<int>(std::bit_width(most)) - 1);
  const int step = static_cast<int>(std::bit_width(std::max(1u, touches))) - 1;
  return mix(theme.panel, theme.useful, 0.25f + 0.75f * static_cast<float>(step) / static_cast<float>(steps));
}

Image image_of(const Theme& theme, const HeatMap& map, ArrayColors colors, uint32_t most_touches,
               std::optional<TouchTime> until) {
  const int scale = std::max(1, kLongestSide / std::max({1, map.width, map.height}));
  Image image;
  image.width = map.width * scale, image.height = map.height * scale;
  image.pixels.assign(static_cast<size_t>(image.width) * static_cast<size_t>(image.height), theme.grid);
  for (int row = 0; row < map.height; ++row)
    for (int column = 0; column < map.width; ++column) {
      const HeatCell& cell = map.cells[static_cast<size_t>(row * map.width + column)];
      if (cell.touches == 0 || (until && cell.first > *until)) continue;
      const CellColors of_cell = colors_of(theme, cell, colors, most_touches);
      for (int y = row * scale; y < (row + 1) * scale; ++y)
        for (int x = column * scale; x < (column + 1) * scale; ++x)
          image.pixels[static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x)] =
              (x + y) % kStripePeriod < of_cell.stripe_pixels ? of_cell.stripes : of_cell.plain;
    }
  image.version = next_image_version();
  return image;
}

}  // namespace ridge::view
