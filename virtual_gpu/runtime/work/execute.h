// Runs one grid on the machine and reports what happened: the fault as an error code and a message, the counts
// as a report.
#pragma once

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/runtime/work/launch.h"

namespace ridge::runtime {

struct Device;

// cudaSuccess also when the kernel fails: the fault sticks to the device and the next call returns it.
// What the kernel launched itself is executed too; `depth` of such launches led to this one.
cudaError_t execute(const LaunchRequest& request, const LoadedKernel& kernel, Device& device,
                    unsigned depth = 0);

// The code a GPU's driver gives for such a fault.
cudaError_t code_for(machine::Fault::Kind kind);

}  // namespace ridge::runtime
