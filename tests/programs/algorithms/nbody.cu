// All-pairs gravity, bodies staged tile by tile in shared memory. Every operation's rounding is spelled out,
// so the CPU can follow it bit by bit.
#include <cmath>
#include <vector>

#include "check.h"

constexpr int kBodies = 256, kTile = 64, kSteps = 3;
constexpr float kSoftening = 0.01f, kStep = 0.0078125f;

__global__ void accelerate(const float4* bodies, float3* velocities) {
  __shared__ float4 tile[kTile];
  int i = blockIdx.x * kTile + threadIdx.x;
  float4 own = bodies[i];
  float3 a{0, 0, 0};
  for (int base = 0; base < kBodies; base += kTile) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < kTile; ++j) {
      float dx = __fsub_rn(tile[j].x, own.x), dy = __fsub_rn(tile[j].y, own.y),
            dz = __fsub_rn(tile[j].z, own.z);
      float square = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, __fmaf_rn(dz, dz, kSoftening)));
      float scale = __fdiv_rn(tile[j].w, __fmul_rn(square, __fsqrt_rn(square)));
      a.x = __fmaf_rn(dx, scale, a.x);
      a.y = __fmaf_rn(dy, scale, a.y);
      a.z = __fmaf_rn(dz, scale, a.z);
    }
    __syncthreads();
  }
  float3 v = velocities[i];
  velocities[i] = {__fmaf_rn(a.x, kStep, v.x), __fmaf_rn(a.y, kStep, v.y), __fmaf_rn(a.z, kStep, v.z)};
}

__global__ void move(float4* bodies, const float3* velocities) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 b = bodies[i];
  float3 v = velocities[i];
  bodies[i] = {__fmaf_rn(v.x, kStep, b.x), __fmaf_rn(v.y, kStep, b.y), __fmaf_rn(v.z, kStep, b.z), b.w};
}

int main() {
  std::vector<float4> bodies(kBodies);
  std::vector<float3> velocities(kBodies, float3{0, 0, 0});
  unsigned state = 7;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 16) / 65536 - 0.5f;
  };
  for (auto& b : bodies)
    b = {next(), next(), next(), 0.01f + std::fabs(next()) / 32};
  float4* device_bodies = device_array<float4>(kBodies);
  float3* device_velocities = device_array<float3>(kBodies);
  to_device(device_bodies, bodies.data(), kBodies);
  to_device(device_velocities, velocities.data(), kBodies);
  for (int step = 0; step < kSteps; ++step) {
    accelerate<<<kBodies / kTile, kTile>>>(device_bodies, device_velocities);
    move<<<kBodies / 128, 128>>>(device_bodies, device_velocities);
    for (int i = 0; i < kBodies; ++i) {
      float ax = 0, ay = 0, az = 0;
      for (const float4& other : bodies) {
        float dx = other.x - bodies[i].x, dy = other.y - bodies[i].y, dz = other.z - bodies[i].z;
        float square = std::fmaf(dx, dx, std::fmaf(dy, dy, std::fmaf(dz, dz, kSoftening)));
        float scale = other.w / (square * std::sqrt(square));
        ax = std::fmaf(dx, scale, ax);
        ay = std::fmaf(dy, scale, ay);
        az = std::fmaf(dz, scale, az);
      }
      float3& v = velocities[i];
      v = {std::fmaf(ax, kStep, v.x), std::fmaf(ay, kStep, v.y), std::fmaf(az, kStep, v.z)};
    }
    for (int i = 0; i < kBodies; ++i) {
      const float3& v = velocities[i];
      float4& b = bodies[i];
      b = {std::fmaf(v.x, kStep, b.x), std::fmaf(v.y, kStep, b.y), std::fmaf(v.z, kStep, b.z), b.w};
    }
  }
  finish("nbody");
  std::vector<float4> got(kBodies);
  to_host(got.data(), device_bodies, kBodies);
  int wrong = 0;
  for (int i = 0; i < kBodies; ++i)
    wrong += got[i].x != bodies[i].x || got[i].y != bodies[i].y || got[i].z != bodies[i].z;
  printf("wrong %d; body 0 at %.6f %.6f %.6f\n", wrong, got[0].x, got[0].y, got[0].z);
}
