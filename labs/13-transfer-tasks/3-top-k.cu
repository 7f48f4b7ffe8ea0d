// out[0] .. out[k - 1] = the k largest of n floats, the largest first.
//
// A transfer task: no parts are given. The statement, the sizes and the limits are in transfer.h;
// scratch.h has memory for intermediate results. CUB 3.0 has no selection, so the grade is your
// speed in percent of CUB's DeviceRadixSort of all elements, which a selection must exceed.
//
//     ./ridge grade 13-transfer-tasks/3-top-k
#include "scratch.h"
#include "transfer.h"

extern "C" void top_k(const float* in, float* out, int n, int k, cudaStream_t stream) {
  // TODO: your kernels, and their launches. Many elements may equal the k-th largest one.
}
