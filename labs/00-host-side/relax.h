// What rung 4 times: a kernel that computes for long.
#pragma once

#include "device_array.h"

constexpr int kThreads = 128;  // per block

// y[i] = x[i] after `rounds` times x = x / 2 + 1. x, y: [n], in device memory.
static __global__ void relax(const float* x, float* y, int n, int rounds) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int round = 0; round < rounds; ++round)
    value = 0.5f * value + 1;
  y[i] = value;
}

extern "C" {

// y = what `relax` makes of x, and *milliseconds = the time of one launch of it, without its first.
// x, y: [n], milliseconds: [1], in host memory. All device memory is freed when you return.
void time_kernel(const float* x, float* y, float* milliseconds, int n, int rounds);

}  // extern "C"
