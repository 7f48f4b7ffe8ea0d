// What rung 3 works with: a kernel that can be told to fail, and launch parameters that can be
// wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device_array.h"

// The parameters of one launch. In some calls those of one launch are broken on purpose.
struct Launch {
  int blocks, threads;
  size_t shared_bytes;
  int fault;  // given to the kernel; 0: it does its work
};

// The first error of a function: its code (a cudaError_t), and the line that caused it. Both are 0
// if there was none.
struct FirstError {
  int64_t code, line;
};

// to[i] = from[i] / 2 + 1. from, to: [n], in device memory.
static __global__ void step(const float* from, float* to, int n, int fault) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (fault == 1) to = nullptr;
  if (fault == 2) __trap();
  if (i < n) to[i] = 0.5f * from[i] + 1;
}

extern "C" {

// y = x after four launches of `step`, and *first = the first error. x, y: [n], first: [1], in host
// memory; launches: [4], in host memory. If there was an error, y does not matter. All device
// memory is freed when you return.
void four_steps(const float* x, float* y, FirstError* first, int n, const Launch* launches);

}  // extern "C"
