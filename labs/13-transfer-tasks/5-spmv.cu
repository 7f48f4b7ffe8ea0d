// y = A x for a sparse matrix A in CSR: row r has entries offsets[r] to offsets[r + 1] - 1.
//
// The lengths of rows follow a power law when you are timed: most have a few entries, one in eight
// has none, and some have tens of thousands. A transfer task: no parts are given. The statement,
// the sizes and the limits are in transfer.h; scratch.h has memory for intermediate results. The
// grade is your speed in percent of cuSPARSE's product.
//
//     ./ridge grade 13-transfer-tasks/5-spmv
#include "scratch.h"
#include "transfer.h"

extern "C" void spmv(const int* offsets, const int* columns, const float* values, const float* x,
                     float* y, int rows, int cols, int entries, cudaStream_t stream) {
  // TODO: your kernels, and their launches. No block should wait for another one's long row.
}
