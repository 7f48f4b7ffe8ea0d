// The types of the CUDA runtime API.
#pragma once

#include <stddef.h>

#include "ridge_cuda/host/device_attributes.h"
#include "ridge_cuda/host/device_properties.h"
#include "ridge_cuda/host/errors.h"
#include "ridge_cuda/host/graph_types.h"
#include "ridge_cuda/host/handles.h"
#include "ridge_cuda/host/launch_types.h"
#include "ridge_cuda/host/memory_types.h"
#include "ridge_cuda/host/texture_types.h"
#include "vector_types.h"
