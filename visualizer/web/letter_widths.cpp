#include "visualizer/web/letter_widths.h"

namespace ridge::view {
namespace {

constexpr uint32_t kReplacement = 0xfffd;

// Takes the first code point off `words`, which is not empty.
uint32_t take_letter(std::string_view& words) {
  const auto first = static_cast<uint8_t>(words.front());
  const size_t size = first < 0x80       ? 1
                      : first >> 5 == 6  ? 2
                      : first >> 4 == 14 ? 3
                      : first >> 3 == 30 ? 4
                                         : 0;
  if (size == 0 || size > words.size()) return words.remove_prefix(1), kReplacement;
  uint32_t letter = size == 1 ? first : first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<uint8_t>(words[i]);
    if (next >> 6 != 2) return words.remove_prefix(1), kReplacement;
    letter = letter << 6 | (next & 0x3f);
  }
  words.remove_prefix(size);
  return letter;
}

}  // namespace

float LetterWidths::advance(Table& table, Face face, uint32_t letter) {
  float& width = letter < table.ascii.size() ? table.ascii[letter] : table.others[letter];
  if (width == 0) width = measure_(face, letter);
  return width;
}

float LetterWidths::of(std::string_view words, const TextStyle& style) {
  Table& table = tables_[static_cast<size_t>(style.face)];
  float width = 0;
  while (!words.empty())
    width += advance(table, style.face, take_letter(words));
  return width * style.size;
}

void LetterWidths::forget() {
  tables_ = {};
}

}  // namespace ridge::view
