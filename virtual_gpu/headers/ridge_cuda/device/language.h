// The device language for clang: what nvcc has built in. Built-in variables, warp intrinsics and the names of
// math functions are clang's own headers; those call libdevice's functions, which are ours (libdevice/).
#pragma once

#if !defined(__clang__)
#error "these headers are for clang; nvcc has its own"
#endif

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>

#pragma push_macro("__CUDA_ARCH__")
#if !defined(__CUDA_ARCH__)
#define __CUDA_ARCH__ 9999  // the host's pass sees the declarations of all functions
#endif
#if !defined(CUDA_VERSION)
#define CUDA_VERSION 13000
#endif

#include <__clang_cuda_builtin_vars.h>
//
#include <__clang_cuda_math_forward_declares.h>
//
#include <__clang_cuda_libdevice_declares.h>
//
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

#include "ridge_cuda/device/overloads.h"
//
#include "ridge_cuda/device/address_spaces.h"
#include "ridge_cuda/device/float_overloads.h"
#include "ridge_cuda/device/host_math.h"
//
#include <__clang_cuda_cmath.h>
// clang 19 hands mask and value of these to its builtins the wrong way round: warp_reductions.h has them.
#define __reduce_add_sync ridge_clang_reduce_add_sync
#define __reduce_min_sync ridge_clang_reduce_min_sync
#define __reduce_max_sync ridge_clang_reduce_max_sync
#define __reduce_or_sync ridge_clang_reduce_or_sync
#define __reduce_and_sync ridge_clang_reduce_and_sync
#define __reduce_xor_sync ridge_clang_reduce_xor_sync
// Its atomics of float2 and float4 are left out where nobody uses the result: atomics.h has them.
#define atomicAdd ridge_clang_atomic_add
#define atomicAdd_block ridge_clang_atomic_add_block
#define atomicAdd_system ridge_clang_atomic_add_system
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_or_sync
#undef __reduce_and_sync
#undef __reduce_xor_sync
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system

#include "ridge_cuda/device/atomics.h"
#include "ridge_cuda/device/cached_accesses.h"
#include "ridge_cuda/device/libdevice/arithmetic.h"
#include "ridge_cuda/device/libdevice/bits.h"
#include "ridge_cuda/device/libdevice/math.h"
#include "ridge_cuda/device/device_runtime.h"
#include "ridge_cuda/device/surfaces.h"
#include "ridge_cuda/device/synchronisation.h"
#include "ridge_cuda/device/textures.h"
#include "ridge_cuda/device/warp_reductions.h"

#pragma pop_macro("__CUDA_ARCH__")

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                void* stream = nullptr);
