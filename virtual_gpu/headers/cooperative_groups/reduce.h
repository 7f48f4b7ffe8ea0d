// Cooperative groups: reductions.
#pragma once

#include "cooperative_groups.h"
#if defined(__CUDA__)
#include "ridge_cuda/cooperative_groups/collectives.h"
#endif
