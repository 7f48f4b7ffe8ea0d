// The two kernels of the chain, one element per thread, and two rows of memory between them.
#pragma once

#include "decode.h"

// x = token + previous / 2. previous is null for the first token.
static __global__ void begin_token(const float* token, const float* previous, float* x, int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < width) x[i] = token[i] + (previous == nullptr ? 0 : 0.5f * previous[i]);
}

// y[i] = (x[i] + weights[i] * x[other]) / 2. y must not be x.
static __global__ void mix_layer(const float* x, const float* weights, float* y, int layer,
                                 int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < width) y[i] = 0.5f * (x[i] + weights[i] * x[other_element(i, layer, width)]);
}
