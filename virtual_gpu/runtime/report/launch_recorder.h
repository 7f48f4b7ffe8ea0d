// Records a launch for the harness: a line in the report file, and the trace of one launch.
#pragma once

#include <memory>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/runtime/work/launch.h"

namespace ridge::runtime {

struct Device;

// Observes one launch as the environment requests; without RIDGE_REPORT and RIDGE_TRACE it costs
// nothing.
//
// A trace file contains one launch: the one that RIDGE_TRACE_KERNEL and RIDGE_TRACE_LAUNCH select.
// By default it is the first of the process or, when the program marks a range with
// cudaProfilerStart, the first in a range (after warm-up launches). The file also has that launch's
// counts.
class LaunchRecorder {
 public:
  LaunchRecorder(const LaunchRequest& request, const LoadedKernel& kernel, Device& device,
                 const machine::LaunchConfig& config);
  ~LaunchRecorder();

  // The observers for machine::run; nullptr when there are none.
  machine::ObserverFactory* observers();
  // Called after the run: appends to the report and writes the trace.
  void finish(const machine::LaunchOutcome& outcome, double host_seconds);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ridge::runtime
