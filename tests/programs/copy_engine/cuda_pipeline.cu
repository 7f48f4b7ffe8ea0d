// cuda::pipeline: of one thread (cp.async groups), of a block, and of a block with producer and consumer
// warps, each with several stages.
#include <cooperative_groups.h>

#include <cuda/pipeline>

#include "check.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

constexpr int kBlock = 128, kTiles = 11;

__global__ void of_a_thread(const float4* in, float* out) {
  __shared__ float4 stage[3][kBlock];
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int t = 0, next = 0; t < kTiles; ++t) {
    for (; next < kTiles && next < t + 3; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[next % 3][threadIdx.x], &in[next * kBlock + threadIdx.x],
                         cuda::aligned_size_t<16>(sizeof(float4)), pipe);
      pipe.producer_commit();
    }
    if (t + 3 <= kTiles)
      cuda::pipeline_consumer_wait_prior<2>(pipe);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    float4 v = stage[t % 3][threadIdx.x];
    sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

template <int kStages>
__global__ void of_a_block(const float* in, float* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ float stage[kStages][kBlock];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int t = 0, next = 0; t < kTiles; ++t) {
    for (; next < kTiles && next < t + kStages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[next % kStages], in + next * kBlock, sizeof(float) * kBlock, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stage[t % kStages][kBlock - 1 - threadIdx.x] * (t + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// Warp 0 copies, the others add.
__global__ void of_two_roles(const float* in, float* out) {
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ float stage[kStages][kBlock];
  auto block = cg::this_thread_block();
  auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int t = 0; t < kTiles; ++t) {
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < kBlock; i += 32)
        cuda::memcpy_async(&stage[t % kStages][i], &in[t * kBlock + i], sizeof(float), pipe);
      pipe.producer_commit();
    }
  } else {
    float sum = 0;
    for (int t = 0; t < kTiles; ++t) {
      pipe.consumer_wait();
      sum += stage[t % kStages][threadIdx.x - 32] * (t + 1);
      pipe.consumer_release();
    }
    out[threadIdx.x - 32] = sum;
  }
}

int main() {
  static float in[kTiles * kBlock * 4];
  for (int i = 0; i < kTiles * kBlock * 4; ++i)
    in[i] = static_cast<float>(i * 13 % 17);
  float *device_in = device_array<float>(kTiles * kBlock * 4), *device_out = device_array<float>(kBlock);
  to_device(device_in, in, kTiles * kBlock * 4);
  float out[kBlock];

  of_a_thread<<<1, kBlock>>>(reinterpret_cast<float4*>(device_in), device_out);
  finish("of_a_thread");
  to_host(out, device_out, kBlock);
  int wrong = 0;
  for (int i = 0; i < kBlock; ++i) {
    float expected = 0;
    for (int t = 0; t < kTiles; ++t) {
      const float* v = in + (t * kBlock + i) * 4;
      expected += v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
    }
    wrong += out[i] != expected;
  }
  std::printf("of a thread: %d wrong\n", wrong);

  for (int stages = 1; stages <= 4; ++stages) {
    if (stages == 1) of_a_block<1><<<1, kBlock>>>(device_in, device_out);
    if (stages == 2) of_a_block<2><<<1, kBlock>>>(device_in, device_out);
    if (stages == 3) of_a_block<3><<<1, kBlock>>>(device_in, device_out);
    if (stages == 4) of_a_block<4><<<1, kBlock>>>(device_in, device_out);
    finish("of_a_block");
    to_host(out, device_out, kBlock);
    wrong = 0;
    for (int i = 0; i < kBlock; ++i) {
      float expected = 0;
      for (int t = 0; t < kTiles; ++t)
        expected += in[t * kBlock + kBlock - 1 - i] * (t + 1);
      wrong += out[i] != expected;
    }
    std::printf("of a block, %d stages: %d wrong\n", stages, wrong);
  }

  of_two_roles<<<1, 32 + kBlock>>>(device_in, device_out);
  finish("of_two_roles");
  to_host(out, device_out, kBlock);
  wrong = 0;
  for (int i = 0; i < kBlock; ++i) {
    float expected = 0;
    for (int t = 0; t < kTiles; ++t)
      expected += in[t * kBlock + i] * (t + 1);
    wrong += out[i] != expected;
  }
  std::printf("of two roles: %d wrong\n", wrong);
}
