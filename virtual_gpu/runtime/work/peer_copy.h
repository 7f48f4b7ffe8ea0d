// Copies and fills in a process of several devices: what they move between devices, and whether
// they race with kernels and copies of other devices.
#pragma once

#include <cstdint>

#include "virtual_gpu/runtime/api/cuda_api.h"

namespace ridge::runtime {

// Called by the task of a copy before it moves its bytes; `source` is nullptr for a fill. Returns
// cudaErrorLaunchFailure, and reports the race, if there is one.
cudaError_t check_peer_copy(const void* destination, const void* source, uint64_t bytes);

}  // namespace ridge::runtime
