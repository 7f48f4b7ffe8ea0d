// counts[b] = how many of n integers equal b.
//
// A transfer task: no parts are given. The statement, the sizes and the limits are in transfer.h;
// scratch.h has memory for intermediate results. The grade is your speed in percent of CUB's
// DeviceHistogram.
//
//     ./ridge grade 13-transfer-tasks/2-histogram
#include "scratch.h"
#include "transfer.h"

extern "C" void histogram(const int* in, int* counts, int n, int bins, cudaStream_t stream) {
  // TODO: your kernels, and their launches. All elements may lie in one bin.
}
