// expect: RACE
// The next box may arrive while a slow thread still reads this one.
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kRows = 64, kCols = 64;  // of a box: a row of 64 bf16 is 128 bytes
constexpr int kThreads = 128;

// Stores the box to rows row0 .. row0 + 63, columns col0 .. col0 + 63 of out [rows][cols]. The
// engine has stored piece p of row r at place p ^ (r % 8).
__device__ void store_box(const __nv_bfloat16* box, __nv_bfloat16* out, int rows, int cols,
                          int row0, int col0) {
  for (int i = threadIdx.x; i < kRows * kCols / 8; i += kThreads) {
    const int row = i / 8, piece = i % 8;
    if (row0 + row < rows && col0 + piece * 8 < cols)
      *reinterpret_cast<uint4*>(out + static_cast<int64_t>(row0 + row) * cols + col0 + piece * 8) =
          *reinterpret_cast<const uint4*>(box + row * kCols + (piece ^ row % 8) * 8);
  }
}

__global__ void __launch_bounds__(kThreads)
    copy_boxes(const __grid_constant__ CUtensorMap map, __nv_bfloat16* out, int rows, int cols) {
  __shared__ alignas(1024) __nv_bfloat16 box[kRows * kCols];  // [kRows][kCols], swizzled
  __shared__ uint64_t full;
  const int row0 = blockIdx.x * kRows, steps = (cols + kCols - 1) / kCols;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_barrier_init();
  }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == 0) {
      expect_bytes(&full, sizeof box);
      tma_load(box, &map, step * kCols, row0, &full);
    }
    wait(&full, step % 2);
    store_box(box, out, rows, cols, row0, step * kCols);
  }
}

}  // namespace

extern "C" void copy_matrix(const __nv_bfloat16* in, __nv_bfloat16* out, int rows, int cols,
                            cudaStream_t stream) {
  copy_boxes<<<(rows + kRows - 1) / kRows, kThreads, 0, stream>>>(tensor_map(in, rows, cols, kRows),
                                                                  out, rows, cols);
}
