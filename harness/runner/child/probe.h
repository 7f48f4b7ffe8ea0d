// What the child's CUDA runtime says of its devices.
#pragma once

namespace ridge::runner {

// Prints what the CUDA runtime under this process says of its devices, as one JSON object. Exit status.
int print_probe();

}  // namespace ridge::runner
