// A 3x3 convolution as a matrix product whose left side never exists: TMA's im2col mode brings the pixels
// that a row of outputs needs, one filter position at a time, and zeros for the padding.
#include <cuda_fp16.h>

#include <vector>

#include "tma.h"

constexpr int kImages = 2, kHeight = 11, kWidth = 13, kChannels = 32, kFilters = 8;
constexpr int kPixels = 64;  // outputs of a block
constexpr int kOutputs = kImages * kHeight * kWidth;

__device__ void load_pixels(void* to, const CUtensorMap* map, int c, int w, int h, int n, int dw, int dh,
                            uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(to)),
      "l"(map), "r"(c), "r"(w), "r"(h), "r"(n), "r"(shared_address(barrier)), "h"(static_cast<uint16_t>(dw)),
      "h"(static_cast<uint16_t>(dh))
      : "memory");
}

__global__ void convolve(const __grid_constant__ CUtensorMap image, const __half* filters, float* out) {
  __shared__ __align__(128) __half pixels[kPixels * kChannels];
  __shared__ uint64_t arrived;
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
  }
  __syncthreads();
  const int first = blockIdx.x * kPixels;
  const int w = first % kWidth, h = first / kWidth % kHeight, n = first / (kWidth * kHeight);
  float sums[kFilters] = {};
  for (int tap = 0; tap < 9; ++tap) {
    if (threadIdx.x == 0) {
      mbarrier_expect(&arrived, sizeof pixels);
      load_pixels(pixels, &image, 0, w - 1, h - 1, n, tap % 3, tap / 3, &arrived);
    }
    mbarrier_wait(&arrived, tap % 2);
    for (int f = 0; f < kFilters; ++f)
      for (int c = 0; c < kChannels; ++c)
        sums[f] += __half2float(pixels[threadIdx.x * kChannels + c]) *
                   __half2float(filters[(f * 9 + tap) * kChannels + c]);
    __syncthreads();
  }
  const int output = first + threadIdx.x;
  for (int f = 0; f < kFilters && output < kOutputs; ++f)
    out[output * kFilters + f] = sums[f];
}

int main() {
  std::vector<__half> image(kOutputs * kChannels), filters(kFilters * 9 * kChannels);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = __float2half(static_cast<float>(static_cast<int>(i * 7 % 17) - 8));
  for (size_t i = 0; i < filters.size(); ++i)
    filters[i] = __float2half(static_cast<float>(static_cast<int>(i * 5 % 11) - 5));
  __half *device_image = device_array<__half>(image.size()),
         *device_filters = device_array<__half>(filters.size());
  float* device_out = device_array<float>(kOutputs * kFilters);
  to_device(device_image, image.data(), image.size());
  to_device(device_filters, filters.data(), filters.size());

  // Padding 1 on each side: the box of pixels begins at -1 and ends at the last pixel but one.
  const cuuint64_t dims[] = {kChannels, kWidth, kHeight, kImages};
  const cuuint64_t strides[] = {kChannels * 2, kChannels * 2 * kWidth, kChannels * 2 * kWidth * kHeight};
  const int lower[] = {-1, -1}, upper[] = {-1, -1};
  const cuuint32_t ones[] = {1, 1, 1, 1};
  CUtensorMap map;
  const auto encode = driver_function<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, device_image, dims, strides, lower, upper, kChannels,
             kPixels, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  printf("encode: %d\n", static_cast<int>(result));
  convolve<<<(kOutputs + kPixels - 1) / kPixels, kPixels>>>(map, device_filters, device_out);
  finish("convolve");
  std::vector<float> out(kOutputs * kFilters);
  to_host(out.data(), device_out, out.size());
  int wrong = 0;
  for (int o = 0; o < kOutputs; ++o) {
    for (int f = 0; f < kFilters; ++f) {
      float wanted = 0;
      for (int tap = 0; tap < 9; ++tap) {
        const int x = o % kWidth + tap % 3 - 1, y = o / kWidth % kHeight + tap / 3 - 1,
                  n = o / (kWidth * kHeight);
        if (x < 0 || x >= kWidth || y < 0 || y >= kHeight) continue;
        for (int c = 0; c < kChannels; ++c)
          wanted += __half2float(image[((n * kHeight + y) * kWidth + x) * kChannels + c]) *
                    __half2float(filters[(f * 9 + tap) * kChannels + c]);
      }
      wrong += out[o * kFilters + f] != wanted;
    }
  }
  printf("%d outputs of %d filters: %d wrong\n", kOutputs, kFilters, wrong);
}
