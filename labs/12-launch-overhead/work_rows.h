// Two rows of device memory that exist as long as the program: no call has to allocate them.
#pragma once

#include "decode.h"

static __device__ float work_rows[2][kMostWidth];  // [row][element]

// Row 0 or 1, as a device pointer. Only the very first call asks the runtime for it.
inline float* work_row(int row) {
  static float* const rows = [] {
    void* address = nullptr;
    cudaGetSymbolAddress(&address, work_rows);
    return static_cast<float*>(address);
  }();
  return rows + row_start(row, kMostWidth);
}
