// The texts of the Links view.
#pragma once

#include <string>

#include "visualizer/session/analysis/link_traffic.h"

namespace ridge::view {

// Why there is nothing to draw, and what to do; empty: there is something.
std::string why_no_links(const LoadedTrace& trace);
// The main figure: bytes, links, and the busiest device against the ideal. `launch`: the chosen
// step.
std::string links_headline(const LinkTraffic& traffic, const LinkLaunch* launch, size_t launches);
// True when the busiest device moves clearly more than the ideal.
bool moves_too_much(const LinkTraffic& traffic);
std::string link_tooltip(const DirectedLink& link);
std::string device_tooltip(const LinkTraffic& traffic, uint32_t device, bool is_recorded);
std::string request_size_tooltip(size_t sectors, uint64_t requests, uint64_t of_all);
std::string launch_tooltip(const LinkLaunch& launch, size_t number, size_t launches);

}  // namespace ridge::view
