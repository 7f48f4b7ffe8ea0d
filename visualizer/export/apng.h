// An animated PNG file. Browsers and GitHub play it like any PNG; other programs show its first
// picture.
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

  // Adds a picture, pixels[height][width], with its duration. A picture equal to the last one
  // extends its duration; otherwise only the changes are stored. Pixels are opaque.
  void add(std::span<const Color> pixels, int milliseconds);
  size_t pictures() const { return frames_.size(); }
  // The file's bytes; it plays in a loop. Throws std::logic_error without a picture.
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
