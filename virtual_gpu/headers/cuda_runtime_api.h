// The CUDA runtime API, as far as the virtual GPU implements it. Written from the public reference; a
// program that is compiled with these headers also runs on NVIDIA's library of the same name.
#pragma once

#include "driver_types.h"
#include "ridge_cuda/host/api_devices.h"
#include "ridge_cuda/host/api_graphs.h"
#include "ridge_cuda/host/api_memory.h"
#include "ridge_cuda/host/api_textures.h"
#include "vector_functions.h"

// The PTX that clang 19 writes is of CUDA 12; the runtime is that of CUDA 13.
#define CUDART_VERSION 13000
