// Atomics of every kind, in shared and in global memory, with many lanes at the same address.
#include <vector>

#include "check.h"

__global__ void histogram(const unsigned char* text, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[text[i]], 1u);
  __syncthreads();
  if (local[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

struct Extremes {
  int least, greatest;
  unsigned ored, anded, xored;
  unsigned long long large;
  double sum;
  float wrapped;
  unsigned counter, lock;
};

__global__ void extremes(Extremes* e) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin(&e->least, (i * 37) % 1009 - 500);
  atomicMax(&e->greatest, (i * 37) % 1009 - 500);
  atomicOr(&e->ored, 1u << (i % 20));
  atomicAnd(&e->anded, ~(1u << (i % 7)));
  atomicXor(&e->xored, static_cast<unsigned>(i));
  atomicAdd(&e->large, 1ull << 33);
  atomicAdd(&e->sum, 0.5);
  atomicAdd(&e->wrapped, 1.0f);
  atomicInc(&e->counter, 99);
  // Compare and swap until it holds: every thread adds 3.
  unsigned seen = e->lock, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(&e->lock, assumed, assumed + 3);
  } while (seen != assumed);
}

int main() {
  constexpr int n = 50000;
  std::vector<unsigned char> text(n);
  unsigned state = 1;
  for (auto& c : text)
    c = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
  std::vector<unsigned> expected(256), got(256);
  for (auto c : text)
    ++expected[c];
  auto* device_text = device_array<unsigned char>(n);
  auto* bins = device_array<unsigned>(256);
  to_device(device_text, text.data(), n);
  check(cudaMemset(bins, 0, 256 * sizeof(unsigned)), "cudaMemset");
  histogram<<<13, 256>>>(device_text, n, bins);
  finish("histogram");
  to_host(got.data(), bins, 256);
  printf("histogram equal: %d, bin 0: %u\n", got == expected, got[0]);

  Extremes e{1 << 30, -(1 << 30), 0, 0xffffffffu, 0, 0, 0, 0, 0, 0};
  auto* device = device_array<Extremes>(1);
  to_device(device, &e, 1);
  extremes<<<10, 100>>>(device);
  finish("extremes");
  to_host(&e, device, 1);
  printf("%d %d %x %x %x %llu %.1f %.1f %u %u\n", e.least, e.greatest, e.ored, e.anded, e.xored, e.large,
         e.sum, e.wrapped, e.counter, e.lock);
}
