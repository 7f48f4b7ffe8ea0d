// How wide text is in a browser: advance widths of letters, each asked for once.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "visualizer/draw/canvas.h"

namespace ridge::view {

class LetterWidths {
 public:
  // The advance width of a letter (a Unicode code point) as a part of the font's size. Called once
  // per letter and face.
  using Measure = std::function<float(Face, uint32_t letter)>;
  explicit LetterWidths(Measure measure) : measure_(std::move(measure)) {}

  // Pixels. The page draws without kerning, so widths add up. `words` is UTF-8; a damaged byte
  // counts as U+FFFD.
  float of(std::string_view words, const TextStyle& style);
  void forget();  // the fonts changed

 private:
  struct Table {
    std::array<float, 128> ascii{};  // 0: not asked for yet
    std::unordered_map<uint32_t, float> others;
  };
  float advance(Table& table, Face face, uint32_t letter);
  Measure measure_;
  std::array<Table, 3> tables_;  // by Face
};

}  // namespace ridge::view
