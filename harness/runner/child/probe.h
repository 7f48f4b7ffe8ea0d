// What the child's CUDA runtime reports about its devices.
#pragma once

namespace ridge::runner {

// Prints what the CUDA runtime of this process reports on its devices, as one JSON object. Returns
// the exit status.
int print_probe();

}  // namespace ridge::runner
