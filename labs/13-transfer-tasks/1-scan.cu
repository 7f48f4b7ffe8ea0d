// out[i] = in[0] + ... + in[i]: an inclusive prefix sum of n floats.
//
// A transfer task: no parts are given. The statement, the sizes and the limits are in transfer.h;
// scratch.h has memory for intermediate results. The grade is your speed in percent of CUB's
// DeviceScan.
//
//     ./ridge grade 13-transfer-tasks/1-scan
#include "scratch.h"
#include "transfer.h"

extern "C" void scan(const float* in, float* out, int n, cudaStream_t stream) {
  // TODO: your kernels, and their launches. Each element should be read once and written once.
}
