// Which pixels TMA's im2col mode brings where its manual leaves room for doubt: strides, images
// smaller than the filter, channels and images beyond the last, tensors of a few bytes, corners that
// differ between height and width, NaN as fill, strides that differ, starts between two places, and
// what the encoder refuses.
//
// The lines of the cases "unequal" are derived by hand from the definition. The box of pixels has
// the rows lower_h, lower_h + stride, ... below h + upper_h, and the columns likewise. A copy
// visits its pixels from the start on, columns first, then rows, then images. It reads each pixel
// moved by the point of the filter; what is outside the image is 0. For example "2x4": rows 0, 1, 2
// (4 - 1 = 3) and columns -2 ... 2 (5 - 2 = 3), moved by 1 and 3: rows 1, 2, 3 and columns 1 ... 5,
// of which 5 is outside. Pixel (y, x) has the number 1 + 5 y + x: 7 8 9 10 0, 12 13 14 15 0, and
// 17 18 19 20 0. With the corners exchanged every one of these lines would differ.
#include <vector>

#include "tma.h"

constexpr int kWindowBytes = 8192;

struct Case {
  const char* name;
  int n, h, w, c;                                       // the tensor
  int lower_h, lower_w, upper_h, upper_w, stride;       // the box of pixels
  int channels, pixels;                                 // of a copy
  int start_c, start_w, start_h, start_n, at_w, at_h;   // where it begins, and the point of the filter
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  bool nan_outside = false;  // the fill of a tensor of bfloat16
  int stride_h = 0;          // of rows, if it is not that of columns
};

__global__ void show(const __grid_constant__ CUtensorMap map, Case t, uint16_t* out) {
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
    mbarrier_expect(&arrived, t.channels * t.pixels * 2);
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(window)),
        "l"(&map), "r"(t.start_c), "r"(t.start_w), "r"(t.start_h), "r"(t.start_n), "r"(shared_address(&arrived)),
        "h"(static_cast<uint16_t>(t.at_w)), "h"(static_cast<uint16_t>(t.at_h))
        : "memory");
  }
  mbarrier_wait(&arrived, 0);
  for (int i = threadIdx.x; i < kWindowBytes / 2; i += blockDim.x)
    out[i] = window[i];
}

// Element [n][h][w][c] is 1 + the number of its pixel, and 1000 times the number of its 8 channels. Prints the first
// element of each 16 bytes of each pixel's row, as it lies in shared memory: 0 is a fill.
void run(const Case& t) {
  const int pixels = t.n * t.h * t.w;
  std::vector<uint16_t> values(static_cast<size_t>(pixels) * t.c);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(1 + i / t.c + 1000 * (i % t.c / 8));
  auto* tensor = device_array<uint16_t>(values.size());
  to_device(tensor, values.data(), values.size());
  const cuuint64_t row = static_cast<cuuint64_t>(t.c) * 2;
  const cuuint64_t dims[] = {static_cast<cuuint64_t>(t.c), static_cast<cuuint64_t>(t.w), static_cast<cuuint64_t>(t.h),
                             static_cast<cuuint64_t>(t.n)};
  const cuuint64_t strides[] = {row, row * t.w, row * t.w * t.h};
  const int lower[] = {t.lower_w, t.lower_h}, upper[] = {t.upper_w, t.upper_h};
  const cuuint32_t stride = t.stride, stride_h = t.stride_h ? t.stride_h : t.stride;
  const cuuint32_t steps[] = {1, stride, stride_h, 1};
  const auto encode = driver_function<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  CUtensorMap map;
  const CUresult result =
      encode(&map, t.nan_outside ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT16, 4, tensor, dims,
             strides, lower, upper, t.channels, t.pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, t.swizzle,
             CU_TENSOR_MAP_L2_PROMOTION_NONE,
             t.nan_outside ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  printf("%s: ", t.name);
  if (result != CUDA_SUCCESS) {
    printf("the encoder returns %d\n", static_cast<int>(result));
    return;
  }
  static auto* out = device_array<uint16_t>(kWindowBytes / 2);
  show<<<1, 32>>>(map, t, out);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    printf("%s\n", cudaGetErrorName(error));
    exit(1);
  }
  std::vector<uint16_t> window(kWindowBytes / 2);
  to_host(window.data(), out, window.size());
  const int pieces = t.channels / 8;
  for (int pixel = 0; pixel < t.pixels; ++pixel)
    for (int piece = 0; piece < pieces; ++piece)
      printf("%s%d", piece > 0 ? "/" : " ", window[(pixel * pieces + piece) * 8]);
  printf("; behind them %04x\n", window[t.channels * t.pixels]);
}

// With an argument: only the case of that number, so that one that fails leaves the others.
int main(int argc, char** argv) {
  const auto k128 = CU_TENSOR_MAP_SWIZZLE_128B, kNone = CU_TENSOR_MAP_SWIZZLE_NONE;
  const Case cases[] = {
      // name, n h w c, lower h w, upper h w, stride, channels pixels, start c w h n, point w h
      {"3x3 padding 1", 2, 4, 5, 8, -1, -1, -1, -1, 1, 8, 24, 0, -1, -1, 0, 0, 0},
      {"3x3 padding 1, point 2 1", 2, 4, 5, 8, -1, -1, -1, -1, 1, 8, 24, 0, -1, -1, 0, 2, 1},
      {"begun within a row", 2, 4, 5, 8, -1, -1, -1, -1, 1, 8, 24, 0, 2, 1, 0, 1, 1},
      {"stride 2, padding 1", 2, 5, 6, 8, -1, -1, -1, -1, 2, 8, 24, 0, -1, -1, 0, 0, 0},
      {"stride 2, padding 1, point 2 2", 2, 5, 6, 8, -1, -1, -1, -1, 2, 8, 24, 0, -1, -1, 0, 2, 2},
      {"stride 2, odd sizes, no padding", 2, 7, 7, 8, 0, 0, -2, -2, 2, 8, 20, 0, 0, 0, 0, 1, 2},
      {"stride 2, begun within a row", 2, 7, 7, 8, 0, 0, -2, -2, 2, 8, 20, 0, 2, 2, 0, 1, 2},
      {"stride 2, begun between two places", 2, 7, 7, 8, 0, 0, -2, -2, 2, 8, 16, 0, 1, 1, 0, 0, 0},
      {"7x7 padding 3 over 2x3", 2, 2, 3, 8, -3, -3, -3, -3, 1, 8, 14, 0, -3, -3, 0, 3, 3},
      {"7x7 padding 3 over 2x3, point 6 0", 2, 2, 3, 8, -3, -3, -3, -3, 1, 8, 14, 0, -3, -3, 0, 6, 0},
      {"7x7 stride 2 padding 3 over 2x3", 2, 2, 3, 8, -3, -3, -3, -3, 2, 8, 6, 0, -3, -3, 0, 4, 3},
      {"1x1 padding 3 over 1x1", 1, 1, 1, 8, -3, -3, 3, 3, 1, 8, 32, 0, -3, -3, 0, 0, 0},
      {"1x1 stride 2 padding 2 over 3x3", 1, 3, 3, 8, -2, -2, 2, 2, 2, 8, 20, 0, -2, -2, 0, 0, 0},
      {"16 of 8 channels", 1, 3, 3, 8, 0, 0, 0, 0, 1, 16, 9, 0, 0, 0, 0, 0, 0},
      {"64 of 24 channels, swizzled", 1, 2, 2, 24, 0, 0, 0, 0, 1, 64, 6, 0, 0, 0, 0, 0, 0, k128},
      {"64 of 136 channels from 128 on, swizzled", 1, 2, 2, 136, 0, 0, 0, 0, 1, 64, 6, 128, 0, 0, 0, 0, 0, k128},
      {"32 channels, swizzled for 64", 2, 3, 3, 32, -1, -1, -1, -1, 1, 32, 12, 0, -1, -1, 0, 1, 1, k128},
      {"beyond the last image", 1, 2, 2, 8, 0, 0, 0, 0, 1, 8, 8, 0, 0, 1, 0, 0, 0},
      {"from an image beyond the last", 1, 2, 2, 8, 0, 0, 0, 0, 1, 8, 8, 0, 0, 0, 2, 0, 0},
      {"one pixel", 1, 1, 1, 8, 0, 0, 0, 0, 1, 8, 4, 0, 0, 0, 0, 0, 0},
      {"one pixel, 3x3 padding 1", 1, 1, 1, 8, -1, -1, -1, -1, 1, 8, 4, 0, -1, -1, 0, 1, 1},
      {"unequal, 3x1 padding 1 0", 2, 3, 4, 8, -1, 0, -1, 0, 1, 8, 24, 0, 0, -1, 0, 0, 0},
      {"unequal, 3x1 padding 1 0, point 0 2", 2, 3, 4, 8, -1, 0, -1, 0, 1, 8, 24, 0, 0, -1, 0, 0, 2},
      {"unequal, 2x4 padding 0 and 2 1, point 3 1", 1, 4, 5, 8, 0, -2, -1, -2, 1, 8, 16, 0, -2, 0, 0, 3, 1},
      {"unequal, stride 2, point 1 2", 1, 5, 7, 8, -1, 0, -1, -3, 2, 8, 8, 0, 0, -1, 0, 1, 2},
      {"an empty box of pixels", 1, 2, 2, 8, 0, 0, -2, 0, 1, 8, 4, 0, 0, 0, 0, 0, 0},
      {"NaN outside, 3x3 padding 1", 2, 2, 3, 8, -1, -1, -1, -1, 1, 16, 14, 0, -1, -1, 0, 0, 0, kNone, true},
      {"NaN outside, stride 2, swizzled", 1, 3, 3, 24, -1, -1, -1, -1, 2, 64, 6, 0, -1, -1, 0, 0, 1, k128, true},
      {"stride 2, 64 of 72 channels from 64 on, swizzled", 1, 3, 4, 72, 0, 0, 0, 0, 2, 64, 6, 64, 0, 0, 0, 0, 0, k128},
      {"columns every 1, rows every 2", 1, 5, 4, 8, -1, -1, -1, -1, 1, 8, 14, 0, -1, -1, 0, 0, 0, kNone, false, 2},
      {"columns every 2, rows every 1", 1, 4, 5, 8, -1, -1, -1, -1, 2, 8, 14, 0, -1, -1, 0, 0, 0, kNone, false, 1},
      {"stride 3, padding 1", 2, 7, 8, 8, -1, -1, -1, -1, 3, 8, 20, 0, -1, -1, 0, 2, 0},
      {"stride 8, one place per row", 1, 5, 5, 8, -1, -1, -1, -1, 8, 8, 4, 0, -1, -1, 0, 1, 1},
      {"point 100 3: nothing inside", 1, 4, 5, 8, 0, 0, 0, 0, 1, 8, 8, 0, 0, 0, 0, 100, 3},
      // A channel that is no multiple of 16 bytes, or a start outside the box of pixels in any direction, ends the launch
      // on an H100 (cudaErrorIllegalInstruction): see tensor_load_test.cpp.
      {"from channel 8 on", 1, 2, 2, 24, 0, 0, 0, 0, 1, 8, 5, 8, 0, 0, 0, 0, 0},
      {"from channel 16 on", 1, 2, 2, 24, 0, 0, 0, 0, 1, 24, 5, 16, 0, 0, 0, 0, 0},
      {"from channel 24 on, of 24", 1, 2, 2, 24, 0, 0, 0, 0, 1, 24, 5, 24, 0, 0, 0, 0, 0},
      {"from channel 32 on, of 24", 1, 2, 2, 24, 0, 0, 0, 0, 1, 24, 5, 32, 0, 0, 0, 0, 0},
      {"from channel -8 on", 1, 2, 2, 24, 0, 0, 0, 0, 1, 24, 5, -8, 0, 0, 0, 0, 0},
      {"from channel -24 on", 1, 2, 2, 24, 0, 0, 0, 0, 1, 24, 5, -24, 0, 0, 0, 0, 0},
      {"from channel 8 on, swizzled", 1, 2, 2, 24, 0, 0, 0, 0, 1, 64, 5, 8, 0, 0, 0, 0, 0, k128},
      {"from an image before the first", 1, 2, 2, 8, 0, 0, 0, 0, 1, 8, 8, 0, 0, 0, -1, 0, 0},
      {"begun in the last column", 2, 3, 5, 8, 0, 0, 0, -2, 1, 8, 14, 0, 2, 0, 0, 0, 0},
      {"begun in the last row", 2, 3, 5, 8, 0, 0, -1, 0, 1, 8, 20, 0, 0, 1, 0, 0, 0},
      {"stride 2, begun behind the last place", 1, 4, 6, 8, 0, 0, 0, 0, 2, 8, 8, 0, 5, 0, 0, 0, 0},
      {"stride 2, begun below the last place", 2, 4, 6, 8, 0, 0, 0, 0, 2, 8, 8, 0, 0, 3, 0, 0, 0},
      {"lower corner -128", 1, 2, 2, 8, 0, -128, 0, -128, 1, 8, 6, 0, -128, 0, 0, 129, 1},
      {"lower corner -129", 1, 2, 2, 8, 0, -129, 0, -128, 1, 8, 6, 0, -2, 0, 0, 0, 0},
      {"upper corner 128", 1, 2, 2, 8, 0, 0, 0, 128, 1, 8, 6, 0, 0, 0, 0, 0, 0},
      {"264 channels", 1, 1, 1, 264, 0, 0, 0, 0, 1, 264, 1, 0, 0, 0, 0, 0, 0},
      {"1025 pixels", 1, 1, 1, 8, 0, 0, 0, 0, 1, 8, 1025, 0, 0, 0, 0, 0, 0},
      {"stride 9", 1, 1, 1, 8, 0, 0, 0, 0, 9, 8, 1, 0, 0, 0, 0, 0, 0},
  };
  const int only = argc > 1 ? atoi(argv[1]) : -1;
  for (int i = 0; i < static_cast<int>(std::size(cases)); ++i)
    if (only < 0 || only == i) run(cases[i]);
}
