// Modules, libraries, functions and launches.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "virtual_gpu/runtime/libcuda/driver.h"

using namespace ridge::driver;

namespace {

cudaLibrary_t library_of(CUmodule module) {
  return reinterpret_cast<cudaLibrary_t>(module);
}

// The arguments of a launch: an array of pointers, or a buffer with the layout of the kernel's
// parameters.
cudaError_t arguments_of(CUfunction function, void** pointers, void** extra, std::vector<void*>& arguments,
                         void**& result) {
  result = pointers;
  if (pointers || !extra) return cudaSuccess;
  std::byte* buffer = nullptr;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<std::byte*>(extra[1]);
  }
  if (!buffer) return cudaErrorInvalidValue;
  size_t offset = 0, bytes = 0;
  for (size_t i = 0; cudaFuncGetParamInfo(kernel_of(function), i, &offset, &bytes) == cudaSuccess; ++i)
    arguments.push_back(buffer + offset);
  cudaGetLastError();  // reaching the end of the parameters is not the program's error
  result = arguments.data();
  return cudaSuccess;
}

cudaError_t load(CUmodule* module, const void* image) {
  if (!module || !image) return cudaErrorInvalidValue;
  cudaLibrary_t library = nullptr;
  const cudaError_t error = cudaLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
  *module = reinterpret_cast<CUmodule>(library);
  return error;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return in_context([&] { return load(module, image); });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return in_context([&] { return load(module, image); });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return in_context([&] { return load(module, image); });
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return in_context([&] {
    if (!path) return cudaErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return cudaErrorFileNotFound;
    std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return load(module, image.c_str());
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return in_context([&] { return cudaLibraryUnload(library_of(module)); });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return in_context([&] {
    cudaKernel_t kernel = nullptr;
    const cudaError_t error = cudaLibraryGetKernel(&kernel, library_of(module), name);
    if (error == cudaSuccess) *function = reinterpret_cast<CUfunction>(kernel);
    return error;
  });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return in_context([&] { return cudaLibraryGetKernelCount(count, library_of(module)); });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  return in_context([&] {
    void* place = nullptr;
    const cudaError_t error = cudaLibraryGetGlobal(&place, bytes, library_of(module), name);
    if (error == cudaSuccess && address) *address = reinterpret_cast<CUdeviceptr>(place);
    return error;
  });
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  return in_context([&] { return load(reinterpret_cast<CUmodule*>(library), code); });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return cuModuleUnload(reinterpret_cast<CUmodule>(library));
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return cuModuleGetFunction(reinterpret_cast<CUfunction*>(kernel), reinterpret_cast<CUmodule>(library), name);
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned,
                               CUlibraryOption*, void**, unsigned) {
  return cuModuleLoad(reinterpret_cast<CUmodule*>(library), path);
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return cuModuleGetFunctionCount(count, reinterpret_cast<CUmodule>(library));
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
  return cuModuleGetGlobal(address, bytes, reinterpret_cast<CUmodule>(library), name);
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  if (!module) return CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return in_context([&] {
    cudaFuncAttributes known;
    if (!value) return cudaErrorInvalidValue;
    const cudaError_t error = cudaFuncGetAttributes(&known, kernel_of(function));
    if (error != cudaSuccess) return error;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = known.maxThreadsPerBlock;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(known.sharedSizeBytes);
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = static_cast<int>(known.constSizeBytes);
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(known.localSizeBytes);
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = known.numRegs;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = known.ptxVersion;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = known.binaryVersion;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = known.maxDynamicSharedSizeBytes;
        return cudaSuccess;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = known.preferredShmemCarveout;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] {
    return cudaFuncSetAttribute(kernel_of(function), static_cast<cudaFuncAttribute>(attribute), value);
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, reinterpret_cast<CUfunction>(kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute, value);
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return in_context([&] { return cudaFuncGetName(name, kernel_of(function)); });
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return in_context([&] { return cudaFuncGetParamInfo(kernel_of(function), index, offset, bytes); });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, bytes);
}

CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
  return in_context([] { return cudaSuccess; });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                        void** pointers, void** extra) {
  return in_context([&] {
    std::vector<void*> unpacked;
    void** arguments = nullptr;
    const cudaError_t error = arguments_of(function, pointers, extra, unpacked, arguments);
    if (error != cudaSuccess) return error;
    return cudaLaunchKernel(kernel_of(function), dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                            arguments, shared_bytes, stream_of(stream));
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void** pointers) {
  return in_context([&] {
    return cudaLaunchCooperativeKernel(kernel_of(function), dim3(grid_x, grid_y, grid_z),
                                       dim3(block_x, block_y, block_z), pointers, shared_bytes,
                                       stream_of(stream));
  });
}

// The two kinds of launch attributes have the same layout.
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** pointers, void** extra) {
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  return in_context([&] {
    if (!config) return cudaErrorInvalidValue;
    std::vector<void*> unpacked;
    void** arguments = nullptr;
    const cudaError_t error = arguments_of(function, pointers, extra, unpacked, arguments);
    if (error != cudaSuccess) return error;
    cudaLaunchConfig_t own{};
    own.gridDim = dim3(config->gridDimX, config->gridDimY, config->gridDimZ);
    own.blockDim = dim3(config->blockDimX, config->blockDimY, config->blockDimZ);
    own.dynamicSmemBytes = config->sharedMemBytes;
    own.stream = stream_of(config->hStream);
    own.attrs = reinterpret_cast<cudaLaunchAttribute*>(config->attrs);
    own.numAttrs = config->numAttrs;
    return cudaLaunchKernelExC(&own, kernel_of(function), arguments);
  });
}

}  // extern "C"
