// How far a kernel is from the device's limits, and which of three bounds it: moving its bytes,
// executing its operations, or the launch.
#pragma once

#include <string>
#include <string_view>

#include "harness/problems/element.h"
#include "harness/runner/session.h"
#include "warp_model/device.h"

namespace ridge::measure {

enum class Bound { memory, compute, overhead };
std::string_view to_string(Bound bound);  // "memory", "compute", "overhead"

// The rates of a roof, and their sources.
struct Roofs {
  double gb_per_s = 0, tflops = 0, launch_ms = 0;  // 0: unknown
  std::string bandwidth_source, rate_source;       // "measured", "data sheet", ""
  bool only_reads = false;                         // gb_per_s is from a kernel that only reads
};
// `written_part`: fraction of the moved bytes that is written. Work with few writes is compared
// with a kernel that only reads, which is faster than a copy. Rates are measured where possible,
// otherwise taken from the data sheet. Operations of 16-bit types run on tensor cores, whose rate
// is the data sheet's: only float32 multiply-adds are measured.
Roofs roofs_of(const runner::MeasuredRoofs& measured, const warp_model::DeviceDescription* described,
               problems::Type type, double written_part = 0.5);

struct RoofPlace {
  double memory_ms = 0, compute_ms = 0, overhead_ms = 0;  // the time that each alone would take
  Bound bound = Bound::memory;                            // the longest of them
  double percent = 0;  // that time / the measured time; 0: no roof is known
};
RoofPlace place_under(const Roofs& roofs, double bytes, double operations, double time_ms);

// The data sheet's rate for operations on this type, in 10^12 per second; 0: unknown.
double sheet_tflops(const warp_model::DeviceDescription* described, problems::Type type);

}  // namespace ridge::measure
