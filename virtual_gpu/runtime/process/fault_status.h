// Replaces the exit status of a program that ignored a fault of one of its kernels.
#pragma once

namespace ridge::runtime {

// From now on, a program that would end with status 0 ends with the status in RIDGE_FAULT_STATUS,
// if it is set.
void record_fault();

}  // namespace ridge::runtime
