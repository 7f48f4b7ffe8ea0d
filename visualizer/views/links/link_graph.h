// Devices as nodes on a circle, and an arrow for each direction of a link between two of them.
#pragma once

#include <functional>
#include <optional>

#include "visualizer/session/analysis/link_traffic.h"
#include "visualizer/views/view.h"

namespace ridge::view {

// In Selection::link.
constexpr uint32_t link_number(uint32_t source, uint32_t destination) {
  return source * trace::kMostLinkedDevices + destination;
}

struct LinkGraph {
  const LinkTraffic& traffic;
  uint64_t most = 1;                                  // bytes of the widest arrow
  uint32_t recorded = 0;                              // device of the recorded launch
  std::optional<RecordOnLink> moving = std::nullopt;  // the shown record, while playback moves
};
void draw_link_graph(const Frame& frame, Rect area, const LinkGraph& graph);

}  // namespace ridge::view
