#include "visualizer/draw/canvas.h"

#include <atomic>

namespace ridge::view {

uint64_t next_image_version() {
  static std::atomic<uint64_t> version{0};
  return ++version;
}

void Canvas::hatch(Rect area, Color color, float spacing, float width) {
  if (area.empty()) return;
  // Lines x + y = c where c is a multiple of the spacing in the whole picture, so that neighbouring
  // areas match.
  const float first = std::ceil((area.x + area.y) / spacing) * spacing;
  for (float c = first; c < area.right() + area.bottom(); c += spacing) {
    const float left = std::max(area.x, c - area.bottom()), right = std::min(area.right(), c - area.y);
    if (right - left > 0.5f) line({left, c - left}, {right, c - right}, color, width);
  }
}

void Canvas::push_clip(Rect area) {
  const Rect inside = area.clipped(clip());
  clips_.push_back(inside);
  begin_clip(inside);
}

void Canvas::pop_clip() {
  clips_.pop_back();
  end_clip();
}

void Canvas::region(Rect area, std::string id, std::function<std::string()> tooltip,
                    std::function<void(const Gesture&)> act) {
  const Rect inside = area.clipped(clip());
  if (inside.empty()) return;
  regions_.push_back({inside, std::move(id), std::move(tooltip), std::move(act)});
}

void Canvas::rename_regions(size_t first, std::string_view prefix) {
  for (size_t i = first; i < regions_.size(); ++i)
    regions_[i].id.insert(0, prefix);
}

std::string Canvas::shortened(std::string_view words, float width, const TextStyle& style) {
  if (text_width(words, style) <= width) return std::string(words);
  size_t low = 0, high = words.size();
  while (low < high) {
    const size_t middle = (low + high + 1) / 2;
    if (text_width(std::string(words.substr(0, middle)) + "...", style) <= width)
      low = middle;
    else
      high = middle - 1;
  }
  while (low > 0 && (static_cast<uint8_t>(words[low]) & 0xc0) == 0x80)
    --low;  // never inside a UTF-8 character
  return low == 0 ? std::string() : std::string(words.substr(0, low)) + "...";
}

std::vector<std::string> Canvas::wrapped(std::string_view words, float width, const TextStyle& style) {
  std::vector<std::string> lines;
  std::string line;
  size_t at = 0;
  while (at <= words.size()) {
    const size_t end = std::min(words.find_first_of(" \n", at), words.size());
    const std::string_view word = words.substr(at, end - at);
    std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (!line.empty() && text_width(longer, style) > width) {
      lines.push_back(std::move(line));
      longer = word;
    }
    line = std::move(longer);
    if (end < words.size() && words[end] == '\n') {
      lines.push_back(std::move(line));
      line.clear();
    }
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace ridge::view
