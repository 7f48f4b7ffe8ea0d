// The settings of the virtual GPU from environment variables (their names: trace/environment.h).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "warp_model/device.h"

namespace ridge::runtime {

struct Settings {
  std::string report_path;    // empty: no report
  bool report_summary = false;  // one line per kernel and shape, at the end
  bool graded = false;        // a harness reads the report and shows the findings
  std::string trace_path;     // empty: no trace
  std::string trace_blocks;   // empty: trace/environment.h's default
  std::string trace_kernel;   // part of the kernel's name; empty: any
  uint64_t trace_launch = 0;  // the n-th of those; 0: not set
  uint64_t trace_limit_bytes = 64ull << 20;
  std::set<std::string> checks;  // of all_checks()
  bool cold_caches = false;      // every launch begins with empty caches, as under a profiler
  bool leak_check = false;       // only on request: libraries keep memory until the end
  unsigned host_threads = 0;     // 0 = all cores
  double time_limit_s = 0;       // 0 = none
  uint64_t order_seed = 0;       // of the order of blocks; 0: as they are numbered
  const warp_model::DeviceDescription* device = nullptr;
  int device_count = 1;
  bool launches_block = false;  // CUDA_LAUNCH_BLOCKING
  bool host_apart = false;      // nothing runs on the device while the program's host code runs

  std::vector<std::string> warnings;  // one line per invalid value

  // True when it matters to which profiler range a launch belongs.
  bool records_ranges() const { return !report_path.empty() || !trace_path.empty(); }
};

const std::set<std::string>& all_checks();

// `variable` returns the value of an environment variable, or nullptr. An invalid value keeps the
// default and adds a line to `warnings`.
Settings read_settings(const std::function<const char*(const char* name)>& variable);

}  // namespace ridge::runtime
