// The CUDA driver API, as far as the virtual GPU implements it. Written from the public reference.
#pragma once

#include "ridge_cuda/host/driver_api.h"
#include "ridge_cuda/host/driver_errors.h"
#include "ridge_cuda/host/driver_types.h"
#include "ridge_cuda/host/tensor_map_types.h"

#define CUDA_VERSION 13000
