// The words that CUDA C++ adds to C++: as attributes for clang, as nothing for a host compiler.
#pragma once

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// clang 19 has no attributes for these. harness/build reads the annotations and the section in the LLVM IR
// that clang writes, and adds the PTX directives; code of the host reaches a managed variable through a pointer.
#define __cluster_dims__(...) __attribute__((annotate("ridge.cluster_dims" __VA_OPT__(, ) __VA_ARGS__)))
#define __maxnreg__(count) __attribute__((annotate("ridge.maxnreg", count)))
#define __grid_constant__ __attribute__((annotate("ridge.grid_constant")))
#define __managed__ __attribute__((device)) __attribute__((section("ridge.managed")))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(count)
#define __grid_constant__
#define __managed__
#endif

#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL
