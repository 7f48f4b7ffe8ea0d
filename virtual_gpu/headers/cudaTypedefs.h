// Types of pointers to driver functions, for what cudaGetDriverEntryPointByVersion finds: PFN_ and the function's name,
// with the CUDA version that brought its present form.
#pragma once

#include "cuda.h"

#define RIDGE_PFN(function, version)                       \
  typedef decltype(&function) PFN_##function##_v##version; \
  typedef PFN_##function##_v##version PFN_##function;
RIDGE_PFN(cuGetErrorName, 6000)
RIDGE_PFN(cuGetErrorString, 6000)
RIDGE_PFN(cuInit, 2000)
RIDGE_PFN(cuDriverGetVersion, 2020)
RIDGE_PFN(cuDeviceGet, 2000)
RIDGE_PFN(cuDeviceGetCount, 2000)
RIDGE_PFN(cuDeviceGetAttribute, 2000)
RIDGE_PFN(cuCtxGetCurrent, 4000)
RIDGE_PFN(cuCtxSetCurrent, 4000)
RIDGE_PFN(cuCtxSynchronize, 2000)
RIDGE_PFN(cuModuleLoadData, 2000)
RIDGE_PFN(cuModuleUnload, 2000)
RIDGE_PFN(cuModuleGetFunction, 2000)
RIDGE_PFN(cuModuleGetGlobal, 3020)
RIDGE_PFN(cuMemAlloc, 3020)
RIDGE_PFN(cuMemFree, 3020)
RIDGE_PFN(cuLaunchKernel, 4000)
RIDGE_PFN(cuLaunchKernelEx, 11060)
RIDGE_PFN(cuTensorMapEncodeTiled, 12000)
RIDGE_PFN(cuTensorMapEncodeIm2col, 12000)
RIDGE_PFN(cuTensorMapReplaceAddress, 12000)
#undef RIDGE_PFN
