// Global memory: the addresses of one warp decide how many sectors a request moves.
#include "micro_kernel.h"

constexpr int kBlocks = 64, kThreads = 256;
constexpr int kElements = kBlocks * kThreads;

__device__ int thread_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// Lane l reads element l * stride. 32 * 4 * stride bytes apart a warp.
template <typename T, int stride>
__global__ void load_stride(const T* in, float* out) {
  out[thread_index()] = static_cast<float>(in[thread_index() * stride]);
}

__global__ void load_broadcast(const float* in, float* out) {
  out[thread_index()] = in[thread_index() / 32];
}

template <typename T>
__global__ void load_vector(const T* in, T* out) {
  out[thread_index()] = in[thread_index()];
}

// Lanes 0 to 16 of every warp.
__global__ void load_partial_warp(const float* in, float* out) {
  if (threadIdx.x % 32 < 17) out[thread_index()] = in[thread_index()];
}

// Every warp's 128 bytes begin 4 bytes into a sector.
__global__ void load_misaligned(const float* in, float* out) {
  out[thread_index()] = in[thread_index() + 1];
}

// A fixed permutation that scatters the lanes over 4096 elements.
__global__ void load_gather(const float* in, float* out) {
  out[thread_index()] = in[(thread_index() * 1237) % 4096];
}

// Lanes in reverse: the same sectors.
__global__ void load_reversed(const float* in, float* out) {
  out[thread_index()] = in[thread_index() ^ 31];
}

template <typename T, int stride>
__global__ void store_stride(T* out, T value) {
  out[thread_index() * stride] = value;
}

__global__ void store_misaligned(float* out, float value) {
  out[thread_index() + 1] = value;
}

__global__ void store_vector4(float4* out, float value) {
  out[thread_index()] = make_float4(value, value, value, value);
}

int main() {
  float* in = device_array<float>(kElements * 64);
  float* out = device_array<float>(kElements * 64);
  const auto* bytes = reinterpret_cast<const unsigned char*>(in);
  const auto* doubles = reinterpret_cast<const double*>(in);
  load_stride<float, 1><<<kBlocks, kThreads>>>(in, out);
  load_stride<float, 2><<<kBlocks, kThreads>>>(in, out);
  load_stride<float, 3><<<kBlocks, kThreads>>>(in, out);
  load_stride<float, 8><<<kBlocks, kThreads>>>(in, out);
  load_stride<float, 9><<<kBlocks, kThreads>>>(in, out);
  load_stride<float, 32><<<kBlocks, kThreads>>>(in, out);
  load_stride<unsigned char, 1><<<kBlocks, kThreads>>>(bytes, out);
  load_stride<double, 1><<<kBlocks, kThreads>>>(doubles, out);
  load_stride<double, 8><<<kBlocks, kThreads>>>(doubles, out);
  load_broadcast<<<kBlocks, kThreads>>>(in, out);
  load_vector<float><<<kBlocks, kThreads>>>(in, out);
  load_vector<float2><<<kBlocks, kThreads>>>(reinterpret_cast<float2*>(in), reinterpret_cast<float2*>(out));
  load_vector<float4><<<kBlocks, kThreads>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
  load_partial_warp<<<kBlocks, kThreads>>>(in, out);
  load_misaligned<<<kBlocks, kThreads>>>(in, out);
  load_gather<<<kBlocks, kThreads>>>(in, out);
  load_reversed<<<kBlocks, kThreads>>>(in, out);
  store_stride<float, 1><<<kBlocks, kThreads>>>(out, 1);
  store_stride<float, 2><<<kBlocks, kThreads>>>(out, 1);
  store_stride<float, 8><<<kBlocks, kThreads>>>(out, 1);
  store_stride<float, 32><<<kBlocks, kThreads>>>(out, 1);
  store_stride<unsigned char, 1><<<kBlocks, kThreads>>>(reinterpret_cast<unsigned char*>(out), 1);
  store_misaligned<<<kBlocks, kThreads>>>(out, 1);
  store_vector4<<<kBlocks, kThreads>>>(reinterpret_cast<float4*>(out), 1);
  finish();
}
