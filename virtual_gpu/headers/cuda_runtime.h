// CUDA C++ for a machine without NVIDIA's toolkit: the runtime API for the host, the language for the device.
// Written from the programming guide, the API references and the PTX ISA. `ridge doctor` says when it is used.
#pragma once

#if defined(__CUDA__)
#include "ridge_cuda/device/system_calls.h"  // before <new>, whose functions call malloc
#endif

#include "cuda_runtime_api.h"
#include "ridge_cuda/host/channel_templates.h"
#include "ridge_cuda/host/occupancy_templates.h"
#include "ridge_cuda/host/templates.h"

#if defined(__CUDA__)
#include "ridge_cuda/device/language.h"
#endif
