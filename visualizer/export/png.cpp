#include "visualizer/export/png.h"

#include <fmt/format.h>
#include <stb_image_write.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace ridge::view {

std::vector<uint8_t> png_bytes(int width, int height, std::span<const Color> pixels, PngPixels kind) {
  const bool alpha = kind == PngPixels::with_alpha;
  std::vector<uint8_t> rows;
  rows.reserve(pixels.size() * 4);
  for (const Color& c : pixels) {
    rows.push_back(c.r);
    rows.push_back(c.g);
    rows.push_back(c.b);
    if (alpha) rows.push_back(c.a);
  }
  std::vector<uint8_t> bytes;
  const auto keep = [](void* context, void* data, int size) {
    const auto* first = static_cast<const uint8_t*>(data);
    auto& all = *static_cast<std::vector<uint8_t>*>(context);
    all.insert(all.end(), first, first + size);
  };
  const int channels = alpha ? 4 : 3;
  stbi_write_png_to_func(keep, &bytes, width, height, channels, rows.data(), width * channels);
  return bytes;
}

void write_png(const std::filesystem::path& file, int width, int height, std::span<const Color> pixels) {
  const auto bytes = png_bytes(width, height, pixels);
  write_text(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
}

}  // namespace ridge::view
