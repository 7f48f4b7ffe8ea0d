// Particles, random numbers, clusters and prices.
#include "everyday.h"

constexpr int kBodies = 1024, kThreads = 128;

__global__ void n_body(const float4* positions, float4* accelerations, int count) {
  __shared__ float4 tile[kThreads];
  const int i = global_index();
  const float4 mine = positions[i];
  float3 sum = {0, 0, 0};
  for (int base = 0; base < count; base += kThreads) {
    tile[threadIdx.x] = positions[base + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kThreads; ++j) {
      const float dx = tile[j].x - mine.x, dy = tile[j].y - mine.y, dz = tile[j].z - mine.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = tile[j].w * inverse * inverse * inverse;
      sum.x += dx * s;
      sum.y += dy * s;
      sum.z += dz * s;
    }
    __syncthreads();
  }
  accelerations[i] = {sum.x, sum.y, sum.z, 0};
}

// Forces of listed neighbours within a cutoff.
__global__ void neighbour_forces(const float4* positions, const int* neighbours, float4* forces, int count, int most) {
  const int i = global_index();
  if (i >= count) return;
  const float4 mine = positions[i];
  float4 force = {0, 0, 0, 0};
  for (int k = 0; k < most; ++k) {
    const float4 other = positions[neighbours[k * count + i]];
    const float dx = mine.x - other.x, dy = mine.y - other.y, dz = mine.z - other.z;
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < 0.8f && r2 > 0.0f) {
      r2 = 1.0f / r2;
      const float r6 = r2 * r2 * r2, f = r2 * r6 * (1.5f * r6 - 2.0f);
      force.x += dx * f;
      force.y += dy * f;
      force.z += dz * f;
    }
  }
  forces[i] = force;
}

__global__ void move_particles(float4* positions, float4* velocities, const float4* forces, float dt, int count) {
  const int i = global_index();
  if (i >= count) return;
  float4 p = positions[i], v = velocities[i];
  const float4 f = forces[i];
  v.x += f.x * dt;
  v.y += f.y * dt;
  v.z += f.z * dt;
  p.x += v.x * dt;
  p.y += v.y * dt;
  p.z += v.z * dt;
  if (p.x < -1 || p.x > 1) v.x = -v.x;
  if (p.y < -1 || p.y > 1) v.y = -v.y;
  positions[i] = p;
  velocities[i] = v;
}

// Structures of seven floats, one per thread.
struct Particle {
  float x, y, z, vx, vy, vz, mass;
};

__global__ void drift(Particle* particles, int count, float dt) {
  const int i = global_index();
  if (i >= count) return;
  Particle p = particles[i];
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  p.z += p.vz * dt - 0.5f * p.mass * dt * dt;
  particles[i] = p;
}

__device__ unsigned xorshift(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__global__ void monte_carlo_pi(unsigned* hits, int tries) {
  unsigned state = 1234567u + 7919u * global_index();
  int inside = 0;
  for (int i = 0; i < tries; ++i) {
    const float x = xorshift(state) * 2.3283064e-10f, y = xorshift(state) * 2.3283064e-10f;
    if (x * x + y * y <= 1.0f) ++inside;
  }
  hits[global_index()] = inside;
}

__global__ void random_walk(int* out, int steps) {
  unsigned long long state = global_index() + 1;
  int x = 0, y = 0;
  for (int i = 0; i < steps; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    switch (state >> 62) {
      case 0: ++x; break;
      case 1: --x; break;
      case 2: ++y; break;
      default: --y;
    }
    if (x * x + y * y > 100) break;
  }
  out[global_index()] = abs(x) + abs(y);
}

// Every thread keeps one of the elements it sees, each with the same probability.
__global__ void reservoir(const int* in, int* out, int count) {
  unsigned state = 99u + global_index();
  int kept = 0, seen = 0;
  for (int i = global_index(); i < count; i += gridDim.x * blockDim.x) {
    ++seen;
    if (xorshift(state) % seen == 0) kept = in[i];
  }
  out[global_index()] = kept;
}

__global__ void k_means_assign(const float* points, const float* centres, int* member, int count, int clusters, int features) {
  const int i = global_index();
  if (i >= count) return;
  float best = 3.4e38f;
  int index = -1;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0;
    for (int f = 0; f < features; ++f) {
      const float apart = points[f * count + i] - centres[c * features + f];
      distance += apart * apart;
    }
    if (distance < best) {
      best = distance;
      index = c;
    }
  }
  member[i] = index;
}

__global__ void k_means_update(const float* x, const float* y, const int* member, float* sum_x, float* sum_y, int* sizes,
                               int count) {
  __shared__ float part_x[8], part_y[8];
  __shared__ int part_size[8];
  if (threadIdx.x < 8) {
    part_x[threadIdx.x] = part_y[threadIdx.x] = 0;
    part_size[threadIdx.x] = 0;
  }
  __syncthreads();
  const int i = global_index();
  if (i < count) {
    const int c = member[i];
    atomicAdd(&part_x[c], x[i]);
    atomicAdd(&part_y[c], y[i]);
    atomicAdd(&part_size[c], 1);
  }
  __syncthreads();
  if (threadIdx.x < 8) {
    atomicAdd(&sum_x[threadIdx.x], part_x[threadIdx.x]);
    atomicAdd(&sum_y[threadIdx.x], part_y[threadIdx.x]);
    atomicAdd(&sizes[threadIdx.x], part_size[threadIdx.x]);
  }
}

__global__ void nearest_neighbour(const float2* places, float* distances, int count, float latitude, float longitude) {
  const int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
  if (i < count) {
    const float2 at = places[i];
    distances[i] = sqrtf((latitude - at.x) * (latitude - at.x) + (longitude - at.y) * (longitude - at.y));
  }
}

__device__ float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float sum = 0.39894228f * __expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  if (d > 0) sum = 1.0f - sum;
  return sum;
}

__global__ void black_scholes(float2* calls, float2* puts, const float2* prices, const float2* strikes,
                              const float2* years, float rate, float volatility, int count) {
  const int i = global_index();
  if (i >= count) return;
  const float2 s = prices[i], x = strikes[i], t = years[i];
  float call[2], put[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const float price = k ? s.y : s.x, strike = k ? x.y : x.x, time = k ? t.y : t.x;
    const float root = 1.0f / rsqrtf(time);
    const float d1 = __fdividef(__logf(price / strike) + (rate + 0.5f * volatility * volatility) * time, volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal_distribution(d1), n2 = normal_distribution(d2), discount = __expf(-rate * time);
    call[k] = price * n1 - strike * discount * n2;
    put[k] = strike * discount * (1.0f - n2) - price * (1.0f - n1);
  }
  calls[i] = {call[0], call[1]};
  puts[i] = {put[0], put[1]};
}

__global__ void binomial_option(const float* prices, float* out, int steps) {
  __shared__ float value[257];
  const int t = threadIdx.x;
  const float price = prices[blockIdx.x] + 2.0f;
  value[t] = fmaxf(price * expf(0.02f * (2 * t - steps)) - 2.0f, 0.0f);
  if (t == 0) value[steps] = fmaxf(price * expf(0.02f * steps) - 2.0f, 0.0f);
  for (int i = steps; i > 0; --i) {
    __syncthreads();
    const float next = t < i ? 0.5f * value[t] + 0.499f * value[t + 1] : 0;
    __syncthreads();
    if (t < i) value[t] = next;
  }
  if (t == 0) out[blockIdx.x] = value[0];
}

__global__ void ray_spheres(const float4* spheres, uchar4* out, int width, int count) {
  __shared__ float4 scene[32];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  if (t < count) scene[t] = spheres[t];
  __syncthreads();
  const float ox = (x - width / 2) / (0.5f * width), oy = (y - width / 2) / (0.5f * width);
  float nearest = -2e10f, shade = 0;
  for (int s = 0; s < count; ++s) {
    const float dx = ox - scene[s].x, dy = oy - scene[s].y, r2 = scene[s].w * scene[s].w + 0.01f;
    if (dx * dx + dy * dy < r2) {
      const float dz = sqrtf(r2 - dx * dx - dy * dy), depth = dz + scene[s].z;
      if (depth > nearest) {
        nearest = depth;
        shade = dz / sqrtf(r2);
      }
    }
  }
  out[y * width + x] = make_uchar4(static_cast<unsigned char>(shade * 255), 0, 0, 255);
}

int main() {
  float4* positions = reinterpret_cast<float4*>(random_reals(4 * kBodies));
  float4* forces = device_array<float4>(kBodies);
  float4* velocities = device_array<float4>(kBodies);
  int* out = device_array<int>(1 << 14);
  float* reals_out = device_array<float>(1 << 14);
  n_body<<<4, kThreads>>>(positions, forces, 512);
  neighbour_forces<<<8, kThreads>>>(positions, random_integers(16 * 1000, 1000), forces, 1000, 16);
  move_particles<<<8, kThreads>>>(positions, velocities, forces, 0.5f, 1000);
  drift<<<8, kThreads>>>(reinterpret_cast<Particle*>(random_reals(7 * 1000)), 1000, 0.1f);
  monte_carlo_pi<<<8, kThreads>>>(reinterpret_cast<unsigned*>(out), 40);
  random_walk<<<8, kThreads>>>(out, 60);
  reservoir<<<8, kThreads>>>(random_integers(15000, 1000), out, 15000);
  float* points = random_reals(8 * 1500);
  k_means_assign<<<12, kThreads>>>(points, random_reals(5 * 8, 2), out, 1500, 5, 8);
  k_means_update<<<12, kThreads>>>(points, points + 1500, random_integers(1500, 8), reals_out, reals_out + 8, out + 2000, 1500);
  nearest_neighbour<<<dim3(4, 3), kThreads>>>(reinterpret_cast<float2*>(points), reals_out, 1450, 0.3f, 0.1f);
  const auto positive = [](size_t i) { return 1.0f + number_at(i) % 1000 * 0.01f; };
  float2* prices = reinterpret_cast<float2*>(device_values<float>(6000, positive));
  black_scholes<<<8, kThreads>>>(reinterpret_cast<float2*>(reals_out), reinterpret_cast<float2*>(reals_out) + 1000, prices,
                                 prices + 1000, prices + 2000, 0.02f, 0.3f, 999);
  binomial_option<<<8, kThreads>>>(points, reals_out, 100);
  ray_spheres<<<dim3(6, 6), dim3(16, 16)>>>(positions, reinterpret_cast<uchar4*>(out), 96, 20);
  finish();
}
