// cuGetProcAddress, and the functions that the runtime already implements.
#include <cstring>

#include "virtual_gpu/runtime/libcuda/driver.h"

namespace {

// The runtime's implementation of a driver function.
template <class Function>
Function* own(const char* name) {
  void* function = nullptr;
  cudaGetDriverEntryPointByVersion(name, &function, CUDART_VERSION, cudaEnableDefault, nullptr);
  return reinterpret_cast<Function*>(function);
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
  return own<decltype(cuGetErrorName)>("cuGetErrorName")(error, name);
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  return own<decltype(cuGetErrorString)>("cuGetErrorString")(error, text);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  return own<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled")(
      map, type, rank, address, dims, strides, box, element_strides, interleave, swizzle, promotion, fill);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 const cuuint64_t* dims, const cuuint64_t* strides, const int* lower,
                                 const int* upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill) {
  return own<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col")(
      map, type, rank, address, dims, strides, lower, upper, channels, pixels, element_strides, interleave, swizzle,
      promotion, fill);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return own<decltype(cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress")(map, address);
}

// Private tables of NVIDIA's libraries: a caller that gets an error works without them.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  if (table) *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char* symbol, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* status) {
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = ridge::driver::function_named(symbol);
  if (status)
    *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"

// Old programs request deprecated functions.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace ridge::driver {

void* function_named(const char* name) {
  struct Entry {
    const char* name;
    void* function;
  };
// The name in programs, and the function to which the header maps it.
#define RIDGE_ENTRY(name) \
  { #name, reinterpret_cast<void*>(name) }
  static const Entry entries[] = {
      RIDGE_ENTRY(cuInit),
      RIDGE_ENTRY(cuDriverGetVersion),
      RIDGE_ENTRY(cuDeviceGetCount),
      RIDGE_ENTRY(cuDeviceGet),
      RIDGE_ENTRY(cuDeviceGetName),
      RIDGE_ENTRY(cuDeviceGetUuid),
      RIDGE_ENTRY(cuDeviceGetAttribute),
      RIDGE_ENTRY(cuDeviceTotalMem),
      RIDGE_ENTRY(cuDeviceComputeCapability),
      RIDGE_ENTRY(cuDeviceCanAccessPeer),
      RIDGE_ENTRY(cuDevicePrimaryCtxRetain),
      RIDGE_ENTRY(cuDevicePrimaryCtxRelease),
      RIDGE_ENTRY(cuDevicePrimaryCtxSetFlags),
      RIDGE_ENTRY(cuDevicePrimaryCtxGetState),
      RIDGE_ENTRY(cuDevicePrimaryCtxReset),
      RIDGE_ENTRY(cuCtxCreate),
      RIDGE_ENTRY(cuCtxDestroy),
      RIDGE_ENTRY(cuCtxPushCurrent),
      RIDGE_ENTRY(cuCtxPopCurrent),
      RIDGE_ENTRY(cuCtxSetCurrent),
      RIDGE_ENTRY(cuCtxGetCurrent),
      RIDGE_ENTRY(cuCtxGetDevice),
      RIDGE_ENTRY(cuCtxGetFlags),
      RIDGE_ENTRY(cuCtxGetApiVersion),
      RIDGE_ENTRY(cuCtxSynchronize),
      RIDGE_ENTRY(cuCtxSetLimit),
      RIDGE_ENTRY(cuCtxGetLimit),
      RIDGE_ENTRY(cuCtxGetStreamPriorityRange),
      RIDGE_ENTRY(cuCtxSetCacheConfig),
      RIDGE_ENTRY(cuCtxEnablePeerAccess),
      RIDGE_ENTRY(cuModuleLoadData),
      RIDGE_ENTRY(cuModuleLoadDataEx),
      RIDGE_ENTRY(cuModuleLoadFatBinary),
      RIDGE_ENTRY(cuModuleLoad),
      RIDGE_ENTRY(cuModuleUnload),
      RIDGE_ENTRY(cuModuleGetFunction),
      RIDGE_ENTRY(cuModuleGetFunctionCount),
      RIDGE_ENTRY(cuModuleGetGlobal),
      RIDGE_ENTRY(cuLinkCreate),
      RIDGE_ENTRY(cuLinkAddData),
      RIDGE_ENTRY(cuLinkAddFile),
      RIDGE_ENTRY(cuLinkComplete),
      RIDGE_ENTRY(cuLinkDestroy),
      RIDGE_ENTRY(cuLibraryLoadData),
      RIDGE_ENTRY(cuLibraryUnload),
      RIDGE_ENTRY(cuLibraryLoadFromFile),
      RIDGE_ENTRY(cuLibraryGetKernel),
      RIDGE_ENTRY(cuLibraryGetKernelCount),
      RIDGE_ENTRY(cuLibraryGetGlobal),
      RIDGE_ENTRY(cuLibraryGetModule),
      RIDGE_ENTRY(cuKernelGetAttribute),
      RIDGE_ENTRY(cuKernelSetAttribute),
      RIDGE_ENTRY(cuKernelGetName),
      RIDGE_ENTRY(cuKernelGetParamInfo),
      RIDGE_ENTRY(cuKernelGetFunction),
      RIDGE_ENTRY(cuFuncGetAttribute),
      RIDGE_ENTRY(cuFuncSetAttribute),
      RIDGE_ENTRY(cuFuncSetCacheConfig),
      RIDGE_ENTRY(cuFuncGetName),
      RIDGE_ENTRY(cuFuncGetParamInfo),
      RIDGE_ENTRY(cuLaunchKernel),
      RIDGE_ENTRY(cuLaunchCooperativeKernel),
      RIDGE_ENTRY(cuLaunchKernelEx),
      RIDGE_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
      RIDGE_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
      RIDGE_ENTRY(cuOccupancyMaxPotentialBlockSize),
      RIDGE_ENTRY(cuOccupancyMaxPotentialBlockSizeWithFlags),
      RIDGE_ENTRY(cuOccupancyAvailableDynamicSMemPerBlock),
      RIDGE_ENTRY(cuMemAlloc),
      RIDGE_ENTRY(cuMemAllocPitch),
      RIDGE_ENTRY(cuMemAllocManaged),
      RIDGE_ENTRY(cuMemAllocAsync),
      RIDGE_ENTRY(cuMemFree),
      RIDGE_ENTRY(cuMemFreeAsync),
      RIDGE_ENTRY(cuMemAllocHost),
      RIDGE_ENTRY(cuMemHostAlloc),
      RIDGE_ENTRY(cuMemFreeHost),
      RIDGE_ENTRY(cuMemHostGetDevicePointer),
      RIDGE_ENTRY(cuMemHostRegister),
      RIDGE_ENTRY(cuMemHostUnregister),
      RIDGE_ENTRY(cuMemGetInfo),
      RIDGE_ENTRY(cuMemGetAddressRange),
      RIDGE_ENTRY(cuPointerGetAttribute),
      RIDGE_ENTRY(cuMemcpy),
      RIDGE_ENTRY(cuMemcpyHtoD),
      RIDGE_ENTRY(cuMemcpyDtoH),
      RIDGE_ENTRY(cuMemcpyDtoD),
      RIDGE_ENTRY(cuMemcpyAsync),
      RIDGE_ENTRY(cuMemcpyHtoDAsync),
      RIDGE_ENTRY(cuMemcpyDtoHAsync),
      RIDGE_ENTRY(cuMemcpyDtoDAsync),
      RIDGE_ENTRY(cuMemcpy2D),
      RIDGE_ENTRY(cuMemcpy2DUnaligned),
      RIDGE_ENTRY(cuMemcpy2DAsync),
      RIDGE_ENTRY(cuMemsetD8),
      RIDGE_ENTRY(cuMemsetD16),
      RIDGE_ENTRY(cuMemsetD32),
      RIDGE_ENTRY(cuMemsetD8Async),
      RIDGE_ENTRY(cuMemsetD16Async),
      RIDGE_ENTRY(cuMemsetD32Async),
      RIDGE_ENTRY(cuMemsetD2D8),
      RIDGE_ENTRY(cuStreamCreate),
      RIDGE_ENTRY(cuStreamCreateWithPriority),
      RIDGE_ENTRY(cuStreamDestroy),
      RIDGE_ENTRY(cuStreamSynchronize),
      RIDGE_ENTRY(cuStreamQuery),
      RIDGE_ENTRY(cuStreamWaitEvent),
      RIDGE_ENTRY(cuStreamGetPriority),
      RIDGE_ENTRY(cuStreamGetFlags),
      RIDGE_ENTRY(cuStreamAddCallback),
      RIDGE_ENTRY(cuLaunchHostFunc),
      RIDGE_ENTRY(cuStreamBeginCapture),
      RIDGE_ENTRY(cuStreamEndCapture),
      RIDGE_ENTRY(cuStreamIsCapturing),
      RIDGE_ENTRY(cuGraphCreate),
      RIDGE_ENTRY(cuGraphDestroy),
      RIDGE_ENTRY(cuGraphInstantiateWithFlags),
      RIDGE_ENTRY(cuGraphLaunch),
      RIDGE_ENTRY(cuGraphUpload),
      RIDGE_ENTRY(cuGraphExecDestroy),
      RIDGE_ENTRY(cuEventCreate),
      RIDGE_ENTRY(cuEventRecord),
      RIDGE_ENTRY(cuEventQuery),
      RIDGE_ENTRY(cuEventSynchronize),
      RIDGE_ENTRY(cuEventDestroy),
      RIDGE_ENTRY(cuEventElapsedTime),
      RIDGE_ENTRY(cuProfilerStart),
      RIDGE_ENTRY(cuProfilerStop),
      RIDGE_ENTRY(cuGetErrorName),
      RIDGE_ENTRY(cuGetErrorString),
      RIDGE_ENTRY(cuTensorMapEncodeTiled),
      RIDGE_ENTRY(cuTensorMapEncodeIm2col),
      RIDGE_ENTRY(cuTensorMapReplaceAddress),
      RIDGE_ENTRY(cuGetProcAddress),
  };
#undef RIDGE_ENTRY
  for (const Entry& entry : entries) {
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  }
  return nullptr;
}

}  // namespace ridge::driver
