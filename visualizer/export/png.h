// A picture of pixels as a PNG file.
#pragma once

#include <filesystem>
#include <span>

#include "visualizer/draw/geometry.h"

namespace ridge::view {

// pixels[height][width], opaque. Throws std::runtime_error when the file cannot be written.
void write_png(const std::filesystem::path& file, int width, int height, std::span<const Color> pixels);

// A text file, an SVG. Throws as write_png does.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace ridge::view
