// What the environment asks of the virtual GPU (the variables' names: trace/environment.h).
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
  bool graded = false;        // a harness reads the report and tells the findings
  std::string trace_path;     // empty: no trace
  std::string trace_blocks;   // empty: trace/environment.h's default
  std::string trace_kernel;   // part of the kernel's name; empty: any
  uint64_t trace_launch = 0;  // the n-th of those; 0: not asked for
  uint64_t trace_limit_bytes = 64ull << 20;
  std::set<std::string> checks;  // of all_checks()
  bool cold_caches = false;      // every launch begins with empty caches, as under a profiler
  bool leak_check = false;       // only when asked for by name: libraries keep memory until the end
  unsigned host_threads = 0;     // 0 = all cores
  double time_limit_s = 0;       // 0 = none
  const warp_model::DeviceDescription* device = nullptr;
  int device_count = 1;
  bool launches_block = false;  // CUDA_LAUNCH_BLOCKING
  bool host_apart = false;      // nothing runs on the device while host code of the program runs

  std::vector<std::string> warnings;  // one line for each value that was not understood
};

const std::set<std::string>& all_checks();

// `variable` gives the value of an environment variable, or nullptr. What cannot be understood keeps its
// default and leaves a line in `warnings`.
Settings read_settings(const std::function<const char*(const char* name)>& variable);

}  // namespace ridge::runtime
