// The functions that this library exports, as the toolkit's headers declare them, with default visibility
// (everything else in the library is hidden). The double-underscore functions are called by code that nvcc
// generates; no header that can be included declares all of them.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterVar(void** handle, char* host_variable, char* device_address, const char* device_name,
                       int ext, size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** host_pointer, char* device_address,
                              const char* device_name, int ext, size_t bytes, int constant, int global);
void __cudaRegisterHostVar(void** handle, const char* device_name, char* host_variable, size_t bytes);
void __cudaRegisterFunction(void** handle, const char* host_stub, char* device_function,
                            const char* device_name, int thread_limit, uint3* tid, uint3* bid, dim3* block,
                            dim3* grid, int* warp_size);
void __cudaRegisterUnifiedTable(void** handle, void* table);
char __cudaInitModule(void** handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream);
}
#pragma GCC visibility pop
