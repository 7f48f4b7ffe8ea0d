// Functions of the runtime that kernels call: the virtual GPU has them built in, as it has malloc and printf.
#pragma once

extern "C" {
__device__ cudaError_t cudaMalloc(void** memory, size_t bytes);
__device__ cudaError_t cudaFree(void* memory);
__device__ cudaError_t cudaGetDevice(int* device);
__device__ cudaError_t cudaGetDeviceCount(int* count);
__device__ cudaError_t cudaGetLastError();
__device__ cudaError_t cudaPeekAtLastError();
__device__ const char* cudaGetErrorName(cudaError_t error);
__device__ const char* cudaGetErrorString(cudaError_t error);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
}
