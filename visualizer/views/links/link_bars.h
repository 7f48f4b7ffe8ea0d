// Beside the graph of links: the bytes of each device against the ideal, the sizes of requests, and
// the steps of a program with several launches.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "visualizer/session/analysis/link_traffic.h"
#include "visualizer/views/view.h"

namespace ridge::view {

// The height that the bars of so many devices want.
float device_bars_height(const Theme& theme, uint32_t devices);
// `most`: the bytes of a full bar.
void draw_device_bars(const Frame& frame, Rect area, const LinkTraffic& traffic, uint64_t most);
// `link`: only the requests of this one.
void draw_request_sizes(const Frame& frame, Rect area, const LinkTraffic& traffic,
                        const DirectedLink* link);
void draw_link_launches(const Frame& frame, Rect area, std::span<const LinkLaunch> launches,
                     std::optional<size_t> chosen, std::function<void(size_t)> choose);

}  // namespace ridge::view
