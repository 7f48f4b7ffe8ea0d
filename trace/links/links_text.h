// What the links between devices carried, as a table for people.
#pragma once

#include <string>
#include <vector>

#include "trace/launch_report.h"

namespace ridge::trace {

// Without a line break at the end. `ideal_bytes`: what each device must send at least, and
// `ideal_formula` why; 0: unknown.
std::string links_text(const std::vector<LinkCounts>& links, uint64_t ideal_bytes = 0,
                       const std::string& ideal_formula = "");

// Bytes that one device sends and receives.
struct PortBytes {
  uint64_t sent = 0, received = 0;
};
// By device, up to the largest one in `links`.
std::vector<PortBytes> bytes_of_ports(const std::vector<LinkCounts>& links);

// 2 (N - 1) / N: bytes that each of N devices must send per byte of the array of an all-reduce.
double all_reduce_factor(size_t devices);

}  // namespace ridge::trace
