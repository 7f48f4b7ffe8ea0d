#include "visualizer/export/png.h"

#include <fmt/format.h>
#include <stb_image_write.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace ridge::view {

void write_png(const std::filesystem::path& file, int width, int height, std::span<const Color> pixels) {
  std::vector<uint8_t> rgb;
  rgb.reserve(pixels.size() * 3);
  for (const Color& c : pixels) {
    rgb.push_back(c.r);
    rgb.push_back(c.g);
    rgb.push_back(c.b);
  }
  std::vector<uint8_t> bytes;
  const auto keep = [](void* context, void* data, int size) {
    const auto* first = static_cast<const uint8_t*>(data);
    auto& all = *static_cast<std::vector<uint8_t>*>(context);
    all.insert(all.end(), first, first + size);
  };
  stbi_write_png_to_func(keep, &bytes, width, height, 3, rgb.data(), width * 3);
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out)
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
}

}  // namespace ridge::view
