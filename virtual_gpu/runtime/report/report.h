// What a launch leaves behind for the harness: a line in the report file, and one launch's trace.
#pragma once

#include <memory>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/runtime/work/launch.h"

namespace ridge::runtime {

struct Device;

// Observes one launch as far as the environment asks for it; without RIDGE_REPORT and RIDGE_TRACE it costs
// nothing.
//
// A trace file holds one launch: the one that RIDGE_TRACE_KERNEL and RIDGE_TRACE_LAUNCH ask for, else the
// first of the process, or, when the program marks a range with cudaProfilerStart, the first inside a range
// (warm-up launches come before). It holds that launch's counts too.
class LaunchRecorder {
 public:
  LaunchRecorder(const LaunchRequest& request, const LoadedKernel& kernel, Device& device,
                 const machine::LaunchConfig& config);
  ~LaunchRecorder();

  // For machine::run; nullptr without observers.
  machine::ObserverFactory* observers();
  // After the run: appends to the report and writes the trace.
  void finish(const machine::LaunchOutcome& outcome, double host_seconds);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// At cudaProfilerStart: counts of the new range begin at 0. At Stop: what the range held, as a line of the
// report.
void begin_range();
void end_range();
// What RIDGE_REPORT_SUMMARY asks for: after the last launch.
void write_launch_summary();

}  // namespace ridge::runtime
