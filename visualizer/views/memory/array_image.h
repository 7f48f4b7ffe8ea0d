// The pixels of an array's heat map, for each meaning of its colours.
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

// By recorded block, from 1; colours repeat after eight.
Color color_of_block(const Theme& theme, uint16_t block);
// 1, 2, 4, 8 ... touches: stronger with each doubling, up to `most`.
Color color_of_reuse(const Theme& theme, uint32_t touches, uint32_t most);

// Cells become squares of pixels whose stripes are as wide as the wasted fraction. `until`: only
// sectors first touched up to then; no value: all.
Image image_of(const Theme& theme, const HeatMap& map, ArrayColors colors, uint32_t most_touches,
               std::optional<TouchTime> until);

}  // namespace ridge::view
