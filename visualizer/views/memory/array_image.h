// The pixels of an array's heat map, by what its colours mean.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "visualizer/draw/theme.h"
#include "visualizer/session/analysis/heat_map.h"

namespace ridge::view {

enum class ArrayColors : uint8_t { waste, reuse, block, writer };
inline constexpr size_t kArrayColors = 4;
std::string_view name_of(ArrayColors colors);  // "waste", "reuse", "first block", "last writer"

// One of the recorded blocks, from 1; they repeat after eight.
Color color_of_block(const Theme& theme, uint16_t block);
// 1, 2, 4, 8 ... touches: stronger with each doubling, up to `most`.
Color color_of_reuse(const Theme& theme, uint32_t touches, uint32_t most);

// Cells become squares of pixels with stripes in them as wide as the part that was wasted. `until`: only what
// was touched first up to then; none: all.
Image image_of(const Theme& theme, const HeatMap& map, ArrayColors colors, uint32_t most_touches,
               std::optional<TouchTime> until);

}  // namespace ridge::view
