// Indices that leave one __shared__ array and hit another.
#include "faulty.h"

// case halo_of_a_tile: out_of_bounds
template <bool kFixed>
__global__ void smooth(const float* in, float* out) {
  __shared__ float before[64];
  __shared__ float tile[kFixed ? 65 : 64];
  __shared__ float after[64];
  const int t = threadIdx.x;
  before[t] = in[t] + 1;
  tile[t] = in[t];
  after[t] = in[t] + 2;
  if (kFixed && t == 0) tile[64] = 0;
  __syncthreads();
  out[t] = tile[t] + tile[t + 1] + before[63 - t] + after[63 - t];  // <- halo_of_a_tile
}

// case index_before_a_tile: out_of_bounds
template <bool kFixed>
__global__ void left_neighbour(const float* in, float* out) {
  __shared__ float weights[32];
  __shared__ float tile[32];
  const int t = threadIdx.x;
  weights[t] = in[t];
  tile[t] = in[t];
  __syncthreads();
  const int left = kFixed ? (t + 31) % 32 : t - 1;
  out[t] = tile[left] * weights[t];  // <- index_before_a_tile
}

// case histogram_without_limit: out_of_bounds
template <bool kFixed>
__global__ void histogram(const int* in, int* out) {
  __shared__ int bins[32];
  __shared__ int total;
  const int t = threadIdx.x;
  if (t < 32) bins[t] = 0;
  if (t == 0) total = 0;
  __syncthreads();
  const int bin = kFixed ? min(in[t], 31) : in[t];
  atomicAdd(&bins[bin], 1);  // <- histogram_without_limit
  atomicAdd(&total, 1);
  __syncthreads();
  if (t < 32) out[t] = bins[t] + total;
}

// An array that the launch sizes has its plain name in PTX, and a letter is also how C++ mangles a type.
// case dynamic_array_of_one_letter: out_of_bounds
// says dynamic_array_of_one_letter: of the __shared__ array `d`
template <bool kFixed>
__global__ void reversed(const float* in, float* out) {
  extern __shared__ float d[];
  d[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = d[blockDim.x - threadIdx.x - (kFixed ? 1 : 0)];  // <- dynamic_array_of_one_letter
}

// case async_copy_past_a_buffer: out_of_bounds
template <bool kFixed>
__global__ void two_buffers(const float* in, float* out) {
  __shared__ alignas(16) float a[128];
  __shared__ alignas(16) float b[128];
  const int t = threadIdx.x;
  b[t] = 1;
  b[t + 64] = 1;
  if (!kFixed || t < 32) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&a[t * 4]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t));  // <- async_copy_past_a_buffer
  }
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[t] = a[t] + b[t];
}

const Case kCases[] = {
    {"halo_of_a_tile", [](bool f) { (f ? smooth<true> : smooth<false>)<<<1, 64>>>(numbers<float>(64), zeros<float>(64)); }},
    {"index_before_a_tile", [](bool f) { (f ? left_neighbour<true> : left_neighbour<false>)<<<1, 32>>>(numbers<float>(32), zeros<float>(32)); }},
    {"histogram_without_limit", [](bool f) { (f ? histogram<true> : histogram<false>)<<<1, 64>>>(numbers<int>(64), zeros<int>(32)); }},
    {"dynamic_array_of_one_letter", [](bool f) { (f ? reversed<true> : reversed<false>)<<<1, 64, 256>>>(numbers<float>(64), zeros<float>(64)); }},
    {"async_copy_past_a_buffer", [](bool f) { (f ? two_buffers<true> : two_buffers<false>)<<<1, 64>>>(numbers<float>(256), zeros<float>(64)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
