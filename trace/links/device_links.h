// What crossed the links between the devices of a program while a trace was recorded: of all
// launches and copies of the program, or of the profiled range that the recorded launch belongs to,
// and not of the recorded launch alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/launch_report.h"

namespace ridge::trace {

inline constexpr uint32_t kMostLinkedDevices = 64;

// The addresses of one device's memory.
struct DeviceRange {
  uint64_t begin = 0, bytes = 0;
  bool contains(uint64_t address) const { return address - begin < bytes; }
};

// What one launch, or the copies behind one launch of the same device, moved between devices.
struct LinkStep {
  uint32_t device = 0;  // that executed it
  // Its number among the launches and copies of that device, from 0: launch k of every device
  // usually belongs to the same step of an algorithm. Launches of one device are in the order in
  // which they began.
  uint32_t launch = 0;
  std::string name;  // of the kernel; "copies"
  std::vector<LinkCounts> links;
};

struct DeviceLinks {
  uint32_t devices = 0;             // 0: unknown, or a single device
  uint32_t recorded_device = 0;     // that executed the recorded launch
  std::vector<DeviceRange> memory;  // by device; empty: unknown
  std::vector<LinkStep> steps;      // by launch and device; those that moved nothing are left out
  bool known() const { return devices > 1; }
  std::optional<uint32_t> device_of(uint64_t address) const;
};

// Launches from this one on are added up in one step per device, so that a long program has a short
// list.
inline constexpr uint32_t kMostLinkLaunches = 512;
// Adds links to the step of this device and launch.
void add_step(std::vector<LinkStep>& steps, uint32_t device, uint32_t launch,
              const std::string& name, const std::vector<LinkCounts>& links);

// All steps together, by source, destination and kind.
std::vector<LinkCounts> all_links(const DeviceLinks& links);

}  // namespace ridge::trace
