// Which elements TMA's tiled mode loads with element strides, where the manual leaves room for
// doubt: boxes that are no multiple of the stride, starts before the tensor and between its even
// columns, ends beyond it, dimension 0, and the fill.
//
// A tensor is [h][w][8]; an element is the number of its pixel, from 1 on, or 1000 times the number
// of its channel more in dimension 0. A copy writes ceil(box / stride) pixels along a dimension; the
// number of bytes is announced accordingly, and a copy of another number leaves the barrier open.
#include <vector>

#include "tma.h"

constexpr int kWindowBytes = 4096;

struct Case {
  const char* name;
  uint32_t h, w;           // the tensor
  uint32_t rows, columns;  // the box
  uint32_t step_c, step_w, step_h;
  int start_w, start_h;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  bool nan_outside = false;
  uint32_t channels = 8;   // of the box

  uint32_t copied_columns() const { return (columns + step_w - 1) / step_w; }
  uint32_t copied_rows() const { return (rows + step_h - 1) / step_h; }
  uint32_t row_bytes() const { return channels * 2; }
};

__global__ void show(const __grid_constant__ CUtensorMap map, int w, int h, uint32_t bytes, uint16_t* out,
                     int* arrived_in_time) {
  __shared__ __align__(1024) uint16_t window[kWindowBytes / 2];
  __shared__ uint64_t arrived;
  for (int i = threadIdx.x; i < kWindowBytes / 2; i += blockDim.x)
    window[i] = 0xcdcd;
  publish_shared();
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&arrived, bytes);
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(window)),
        "l"(&map), "r"(0), "r"(w), "r"(h), "r"(shared_address(&arrived))
        : "memory");
  }
  uint32_t done = 0;
  for (int tries = 0; tries < 100000 && !done; ++tries)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(&arrived)), "r"(0)
        : "memory");
  if (threadIdx.x == 0) *arrived_in_time = static_cast<int>(done);
  for (int i = threadIdx.x; i < kWindowBytes / 2; i += blockDim.x)
    out[i] = window[i];
}

// Prints the first element of each 16 bytes of each copied pixel, as it lies in shared memory.
void run(const Case& t) {
  constexpr uint32_t kChannels = 8;
  std::vector<uint16_t> values(t.h * t.w * kChannels);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(1 + i / kChannels + 1000 * (t.step_c > 1 ? i % kChannels : 0));
  auto* tensor = device_array<uint16_t>(values.size());
  to_device(tensor, values.data(), values.size());
  const cuuint64_t dims[] = {kChannels, t.w, t.h}, strides[] = {kChannels * 2, kChannels * 2 * t.w};
  const cuuint32_t box[] = {t.channels, t.columns, t.rows}, steps[] = {t.step_c, t.step_w, t.step_h};
  const auto encode = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  CUtensorMap map;
  const CUresult result =
      encode(&map, t.nan_outside ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, tensor, dims,
             strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
             t.nan_outside ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  printf("%s: ", t.name);
  if (result != CUDA_SUCCESS) {
    printf("the encoder returns %d\n", static_cast<int>(result));
    return;
  }
  static auto* out = device_array<uint16_t>(kWindowBytes / 2);
  static auto* arrived = device_array<int>(1);
  const uint32_t pixels = t.copied_rows() * t.copied_columns(), row = t.row_bytes();
  show<<<1, 32>>>(map, t.start_w, t.start_h, pixels * row, out, arrived);
  finish("show");
  std::vector<uint16_t> window(kWindowBytes / 2);
  to_host(window.data(), out, window.size());
  int in_time = 0;
  to_host(&in_time, arrived, 1);
  for (uint32_t pixel = 0; pixel < pixels; ++pixel)
    if (t.step_c > 1) {
      for (uint32_t c = 0; c < t.channels; ++c)
        printf("%s%d", c > 0 ? "/" : " ", window[pixel * t.channels + c]);
    } else {
      for (uint32_t piece = 0; piece < row / 16; ++piece)
        printf("%s%d", piece > 0 ? "/" : " ", window[(pixel * row + piece * 16) / 2]);
    }
  printf("; behind them %04x%s\n", window[pixels * row / 2], in_time ? "" : "; the barrier is still open");
}

int main() {
  const auto kNone = CU_TENSOR_MAP_SWIZZLE_NONE, k128 = CU_TENSOR_MAP_SWIZZLE_128B, k32 = CU_TENSOR_MAP_SWIZZLE_32B;
  const Case cases[] = {
      // name, tensor h w, box rows columns, steps c w h, start w h
      {"every second column", 2, 9, 2, 8, 1, 2, 1, 0, 0},
      {"every second column, from -1 on", 2, 9, 2, 8, 1, 2, 1, -1, 0},
      {"every second column, from -3 on, above", 2, 9, 3, 10, 1, 2, 1, -3, -1},
      {"every second column, from 3 on, beyond the end", 2, 9, 2, 10, 1, 2, 1, 3, 1},
      {"every second of 7 columns", 1, 9, 1, 7, 1, 2, 1, 0, 0},
      {"every third of 8 columns", 1, 9, 1, 8, 1, 3, 1, 1, 0},
      {"every eighth of 8 columns", 2, 9, 2, 8, 1, 8, 1, 1, 0},
      {"every fourth of 2 columns", 2, 9, 2, 2, 1, 4, 1, 5, 0},
      {"every second row, from -1 on", 5, 3, 6, 3, 1, 1, 2, 0, -1},
      {"every second row and third column", 6, 7, 5, 7, 1, 3, 2, -1, -2},
      {"nothing inside", 2, 4, 2, 4, 1, 2, 2, -8, 0},
      {"a box beyond the last row", 2, 4, 4, 4, 1, 2, 1, 0, 2},
      {"NaN outside", 2, 4, 3, 6, 1, 2, 1, -1, 0, kNone, true},
      {"swizzled for 128 bytes", 1, 6, 1, 6, 1, 2, 1, -2, 0, k128},
      {"16 of 8 channels, swizzled for 32 bytes", 1, 12, 1, 12, 1, 2, 1, 0, 0, k32, false, 16},
      {"step 2 in dimension 0", 1, 3, 1, 3, 2, 1, 1, 0, 0},
      {"step 8 in dimension 0 and 2 in columns", 1, 4, 1, 4, 8, 2, 1, 1, 0},
      {"step 0", 1, 4, 1, 4, 1, 0, 1, 0, 0},
      {"step 9", 1, 4, 1, 4, 1, 9, 1, 0, 0},
      {"256 columns", 1, 300, 1, 256, 1, 8, 1, 1, 0},
      {"257 columns", 1, 300, 1, 257, 1, 8, 1, 1, 0},
  };
  for (const Case& t : cases)
    run(t);
}
