// How far a kernel is from what the device can do at all, and which of three things bounds it: moving its
// bytes, doing its operations, or being launched.
#pragma once

#include <string>
#include <string_view>

#include "harness/problems/element.h"
#include "harness/runner/session.h"
#include "warp_model/device.h"

namespace ridge::measure {

enum class Bound { memory, compute, overhead };
std::string_view to_string(Bound bound);  // "memory", "compute", "overhead"

// The rates that a roof is made of, and where they are from.
struct Roofs {
  double gb_per_s = 0, tflops = 0, launch_ms = 0;  // 0: not known
  std::string bandwidth_source, rate_source;       // "measured", "data sheet", ""
  bool only_reads = false;                         // gb_per_s is that of a kernel that only reads
};
// `written_part`: of all bytes that the work moves. What hardly writes is compared with a kernel that only
// reads, which is faster than a copy. Measured where it was measured, else the data sheet's. Operations of
// 16-bit types run on tensor cores, whose rate is the data sheet's: only float32 multiply-adds are measured.
Roofs roofs_of(const runner::MeasuredRoofs& measured, const warp_model::DeviceDescription* described,
               problems::Type type, double written_part = 0.5);

struct RoofPlace {
  double memory_ms = 0, compute_ms = 0, overhead_ms = 0;  // what each alone would take
  Bound bound = Bound::memory;                            // the longest of them
  double percent = 0;  // that time over the measured one; 0: no roof is known
};
RoofPlace place_under(const Roofs& roofs, double bytes, double operations, double time_ms);

// The rate of the data sheet for operations on elements of that type, in 10^12 per second; 0: not known.
double sheet_tflops(const warp_model::DeviceDescription* described, problems::Type type);

}  // namespace ridge::measure
