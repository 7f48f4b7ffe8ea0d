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
// beyond both ends of x there are zeros, which must not be read: they are not in memory.
//
//     ./ridge grade 09-convolution/1-filter-1d
#include "convolution.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void filter_output_per_thread(const float* x, const float* filter, float* y, int n,
                                         int r, int stride, int padding, int outputs) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= outputs) return;
  // TODO (about 6 lines): add up filter[j] times the element of x that lies under it, for every j
  // of the filter. Which index is that for output i? Leave out what lies before or beyond x. Store
  // the sum. Until you do, nothing is written.
}

}  // namespace

extern "C" void filter_1d(const float* x, const float* filter, float* y, int n, int r, int stride,
                          int padding, cudaStream_t stream) {
  // TODO (1 line): at how many places does a filter of r elements fit into padding + n + padding
  // elements, if its places are `stride` apart? The first place counts too.
  const int outputs = 1;
  const int blocks = (outputs + kThreads - 1) / kThreads;
  filter_output_per_thread<<<blocks, kThreads, 0, stream>>>(x, filter, y, n, r, stride, padding,
                                                            outputs);
}
