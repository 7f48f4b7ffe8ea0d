// A picture of pixels as a PNG file.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "visualizer/draw/geometry.h"

namespace ridge::view {

// The file's bytes: pixels[height][width], 8 bits per channel; opaque, or with alpha.
enum class PngPixels : uint8_t { opaque, with_alpha };
std::vector<uint8_t> png_bytes(int width, int height, std::span<const Color> pixels,
                               PngPixels kind = PngPixels::opaque);

// Throws std::runtime_error when the file cannot be written.
void write_png(const std::filesystem::path& file, int width, int height, std::span<const Color> pixels);

// Writes a text file, such as an SVG. Throws like write_png.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace ridge::view
