// An array in device memory that frees itself.
#pragma once

#include <cuda_runtime.h>

// Device memory that is freed when the object's life ends, on every way out of the function.
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  cudaError_t allocate(int count) { return cudaMalloc(&data_, count * sizeof(float)); }
  float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};
