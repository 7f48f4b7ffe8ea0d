// Cooperative groups: threads of a block, a cluster, a grid, or a part of a warp that work together.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)
#include "ridge_cuda/cooperative_groups/warp_groups.h"
//
#include "ridge_cuda/cooperative_groups/block_groups.h"
//
#include "ridge_cuda/cooperative_groups/partitions.h"
//
#include "ridge_cuda/cooperative_groups/wide_tiles.h"
#endif
