// Copy a box with the copy engine, and nothing else.
//
// Rungs 1 to 3 copy with threads. Hopper has an engine for it: one thread names a *box* of a
// matrix, and the engine copies it to shared memory, computes the addresses, swizzles the rows and
// fills what is outside the matrix with zeros. How do the other threads know that it has arrived?
// By an *mbarrier*, which counts arrivals and bytes. This rung is about these two alone, so it
// multiplies nothing: a block copies 64 rows of a matrix, box after box, from `in` to `out`.
//
//     thread 0:      expect_bytes (one arrival, and so many bytes), tma_load
//     all threads:   wait for the phase of this box; store the box; __syncthreads
//
// The barrier is used once per box. Box `step` is its phase `step`, and a phase is waited for by
// its *parity*, step % 2. hopper.cuh explains each function; the chapter has the states of the
// barrier one after the other.
//
//     ./ridge grade 06-gemm-tensor-cores/13-copy-a-box
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
  // TODO (about 5 lines): thread 0 makes `full` a barrier of one arrival, and fence_barrier_init();
  // then all threads wait until it has.
  (void)full;
  for (int step = 0; step < steps; ++step) {
    // TODO (about 5 lines): thread 0 announces the bytes of a box at `full` and starts the copy of
    // the box at column step * kCols and row row0; all threads wait for phase number `step`, by
    // parity.
    store_box(box, out, rows, cols, row0, step * kCols);
    // TODO (1 line): the engine may not write the next box before all threads have read this one.
  }
}

}  // namespace

extern "C" void copy_matrix(const __nv_bfloat16* in, __nv_bfloat16* out, int rows, int cols,
                            cudaStream_t stream) {
  copy_boxes<<<(rows + kRows - 1) / kRows, kThreads, 0, stream>>>(tensor_map(in, rows, cols, kRows),
                                                                  out, rows, cols);
}
