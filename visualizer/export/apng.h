// Pictures that follow each other, as one animated PNG file: what browsers and GitHub play where they show a
// PNG, and others show the first picture of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "visualizer/draw/geometry.h"

namespace ridge::view {

class Animation {
 public:
  Animation(int width, int height) : width_(width), height_(height) {}

  // The next picture, pixels[height][width], shown for so long. One like the last makes that one stay longer;
  // otherwise only what changed is kept. Pixels are opaque.
  void add(std::span<const Color> pixels, int milliseconds);
  size_t pictures() const { return frames_.size(); }
  // The file's bytes; it plays over and over. Without a picture: std::logic_error.
  std::vector<uint8_t> bytes() const;
  // Throws std::runtime_error when the file cannot be written.
  void write(const std::filesystem::path& file) const;

 private:
  struct Frame {
    int x = 0, y = 0, width = 0, height = 0, milliseconds = 0;
    std::vector<uint8_t> data;  // compressed rows
  };
  int width_, height_;
  std::vector<Color> last_;
  std::vector<Frame> frames_;
};

}  // namespace ridge::view
