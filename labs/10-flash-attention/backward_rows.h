// Lab 10, rung 11: the last of the three kernels of the backward pass. There is nothing to edit.
#pragma once

#include "backward_tiles.h"

// dq [heads][queries][kD] = sums / sqrt(kD), a block per tile of queries. The sums lie in the order
// of add_to_dq(): accumulators of k^T ds, whose rows are columns of dq and whose columns are its
// rows. Shared memory turns them.
__global__ void __launch_bounds__(256)
    finish_dq(Rows rows, __nv_bfloat16* __restrict__ dq, int queries) {
  __shared__ __nv_bfloat16 turned[kQueries][kD + 8];
  const int tile = blockIdx.x, head = blockIdx.y, lane = threadIdx.x % 32;
  const int64_t number = static_cast<int64_t>(head) * gridDim.x + tile;
  const auto* sums = reinterpret_cast<const float4*>(rows.dq + number * kQueries * kD) +
                     threadIdx.x / 128 * kQueries * 16 + threadIdx.x % 128;
  const int column = threadIdx.x / 32 * 16 + lane / 4;  // and 8 further
  const float scale = logit_scale(kD);
#pragma unroll
  for (int j = 0; j < kQueries / 8; ++j) {
    const float4 sum = sums[j * 128];
    const int query = 8 * j + lane % 4 * 2;
    turned[query][column] = __float2bfloat16_rn(sum.x * scale);
    turned[query + 1][column] = __float2bfloat16_rn(sum.y * scale);
    turned[query][column + 8] = __float2bfloat16_rn(sum.z * scale);
    turned[query + 1][column + 8] = __float2bfloat16_rn(sum.w * scale);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kQueries * 16; i += 256) {
    const int query = tile * kQueries + i / 16;
    if (query < queries)
      *reinterpret_cast<uint4*>(dq + (static_cast<int64_t>(head) * queries + query) * kD +
                                i % 16 * 8) =
          *reinterpret_cast<const uint4*>(&turned[i / 16][i % 16 * 8]);
  }
}
