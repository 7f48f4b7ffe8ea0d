// The 32 lanes of a warp in four groups of eight, in the same columns as the 32 words of a line
// below them: the lines of a coalesced access are vertical.
#pragma once

#include <string>

#include "visualizer/views/view.h"

namespace ridge::view {

class Columns {
 public:
  Columns(Rect area, float gap) : left_(area.x), gap_(gap), word_((area.w - 3 * gap) / 32) {}
  float left() const { return left_; }
  float word() const { return word_; }
  // Left and right edge of byte 0 to 127; a lane's column is that of its word.
  float byte_x(uint32_t byte) const {
    return left_ + static_cast<float>(byte) * word_ / 4 +
           gap_ * static_cast<float>(std::min(byte, 127u) / 32);
  }
  float byte_end(uint32_t byte) const { return byte_x(byte) + word_ / 4; }
  float lane_x(uint32_t lane) const { return byte_x(lane * 4); }
  float centre(uint32_t lane) const { return lane_x(lane) + word_ / 2; }

 private:
  float left_, gap_, word_;
};

// Numbered boxes: solid active, hollow inactive, hatched (the other side of a divergent branch).
// Regions "lane/7".
void draw_lanes(const Frame& frame, const trace::TraceRecord& record, const Columns& columns, Rect area,
                const Selection& selected);

std::string lanes_text(uint32_t mask);  // "lanes 0-7, 16", "lane 21", "no lane"

}  // namespace ridge::view
