// y[i] = sum over j of filter[j] * x[i * stride + j - padding]: a filter of one dimension, by hand.
//
// Everything about convolutions that goes wrong with indices goes wrong here first. The filter is
// laid over x at places that are `stride` apart; the first place begins `padding` elements before
// x. With n = 5, r = 3:
//
//     stride 1, padding 1                      stride 2, padding 1
//     0 [a  b  c  d  e] 0                      0 [a  b  c  d  e] 0
//     f0 f1 f2             y[0]                f0 f1 f2             y[0]
//        f0 f1 f2          y[1]                      f0 f1 f2       y[1]
//              ...                                         f0 f1 f2 y[2]
//                 f0 f1 f2 y[4]
//
// The stride moves the filter, not the elements within it; the filter is not turned around; and
// beyond both ends of x there are zeros, which nobody may read, because they do not exist.
//
//     ./ridge grade 09-convolution/1-filter-1d
//
// Hypothesis: one thread per output is limited by memory, because neighbouring threads load
// neighbouring elements, and what they load r times comes from L1.
// What changed: this is the first rung. One product and two additions make an index, and one
// comparison of each index with both ends makes the zeros.
// What that bought: a correct result for every filter, stride and padding.
// Measured on an H200: 47.6% of the device copy (course/measured/nvidia-h200).
#include "convolution.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void filter_output_per_thread(const float* x, const float* filter, float* y, int n,
                                         int r, int stride, int padding, int outputs) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= outputs) return;
  float sum = 0;
  for (int j = 0; j < r; ++j) {
    const int from = i * stride + j - padding;
    if (from >= 0 && from < n) sum += filter[j] * x[from];
  }
  y[i] = sum;
}

}  // namespace

extern "C" void filter_1d(const float* x, const float* filter, float* y, int n, int r, int stride,
                          int padding, cudaStream_t stream) {
  const int outputs = (n + 2 * padding - r) / stride + 1;
  const int blocks = (outputs + kThreads - 1) / kThreads;
  filter_output_per_thread<<<blocks, kThreads, 0, stream>>>(x, filter, y, n, r, stride, padding,
                                                            outputs);
}
