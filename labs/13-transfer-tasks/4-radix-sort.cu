// out = n floats in ascending order.
//
// A transfer task: no parts are given. The statement, the sizes and the limits are in transfer.h;
// scratch.h has memory for intermediate results. The grade is your speed in percent of CUB's
// DeviceRadixSort.
//
//     ./ridge grade 13-transfer-tasks/4-radix-sort
#include "scratch.h"
#include "transfer.h"

extern "C" void radix_sort(const float* in, float* out, int n, cudaStream_t stream) {
  // TODO: your kernels, and their launches. Floats have a sign.
}
