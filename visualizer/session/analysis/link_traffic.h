// What crossed the links between devices: by link and by device, for all launches of the trace's
// program or for one step, beside what each device must send at least.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trace/links/links_text.h"
#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

// From one device to another.
struct DirectedLink {
  uint32_t source = 0, destination = 0;
  uint64_t bytes = 0, requests = 0, strong_requests = 0;
  std::array<uint64_t, 4> requests_by_sectors{};  // of 32, 64, 96 and 128 bytes
  std::vector<trace::LinkCounts> kinds;           // loads, stores, atomics, copies
};

struct LinkTraffic {
  uint32_t devices = 0;
  std::vector<DirectedLink> links;      // those that were used, by source and destination
  std::vector<trace::PortBytes> ports;  // by device
  uint64_t bytes = 0, requests = 0, copied_bytes = 0;
  std::array<uint64_t, 4> requests_by_sectors{};
  // What each device must send at least; 0: unknown. Of the whole call, not of one step.
  uint64_t ideal = 0;
  std::string ideal_formula;
  // The largest traffic of a link, and the most that one device sends or receives.
  uint64_t most_of_link() const;
  uint64_t most_of_port() const;
  const DirectedLink* link(uint32_t source, uint32_t destination) const;
};

// The launches (or copies) of the same number of all devices, usually one step of an algorithm.
struct LinkLaunch {
  uint32_t launch = 0;
  std::string name;  // of the kernels
  uint64_t bytes = 0;
};

// `launch`: only the launches of this number of each device; nullopt: all.
LinkTraffic link_traffic_of(const LoadedTrace& trace,
                            std::optional<uint32_t> launch = std::nullopt);
std::vector<LinkLaunch> launches_with_links_of(const LoadedTrace& trace);

// A record that accesses the memory of another device.
struct RecordOnLink {
  uint32_t source = 0, destination = 0;  // the data go from source to destination
  uint32_t lines = 0;                    // of 128 bytes
};
std::optional<RecordOnLink> record_on_link(const LoadedTrace& trace,
                                           const trace::TraceRecord& record);

}  // namespace ridge::view
