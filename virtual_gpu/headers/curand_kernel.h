// cuRAND's device functions for the generators Philox 4x32-10, whose numbers are the toolkit's, and XORWOW, whose
// numbers are others. The other generators are in the CUDA Toolkit only.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)
#include "ridge_cuda/random/distributions.h"
#endif
