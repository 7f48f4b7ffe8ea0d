// Runs one grid on the machine and reports the result: the fault as an error code and a message,
// the counts as a report.
#pragma once

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/runtime/work/launch.h"

namespace ridge::runtime {

struct Device;

// Returns cudaSuccess even when the kernel fails: the fault is sticky on the device, and the next
// call returns it. Also executes the grids that the kernel launched; `depth` is the nesting depth
// of this one.
cudaError_t execute(const LaunchRequest& request, const LoadedKernel& kernel, Device& device,
                    unsigned depth = 0);

// The error code of a GPU's driver for such a fault.
cudaError_t code_for(machine::Fault::Kind kind);

}  // namespace ridge::runtime
