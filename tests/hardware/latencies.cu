// What one dependent step of a chain costs on this GPU, in cycles of the SM's clock, as JSON:
//     nvcc -O3 -arch=sm_90a -o latencies tests/hardware/latencies.cu
//     ./latencies > course/measured/nvidia-h100/trials/latencies.json
//
// One warp runs a chain in which each step needs the result of the step before: a fused multiply-add, or a load whose
// address is the value loaded before (a pointer chase). The cost of a step is
// (cycles of 2 N steps - cycles of N steps) / N: what it takes to read the clock cancels. Each figure is the median of
// 21 repetitions. For L2 it chases a word that points to itself, for 2048 words, so that each figure is of one place in
// L2, which the SM has read before. For device memory the words are visited in an order without pattern, once each,
// after the caches were filled with something else.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kSteps = 1024, kTimes = 21, kPlaces = 2048;
constexpr int64_t kLineWords = 16, kLines = int64_t{1} << 22;  // 2^22 lines of 128 bytes: 512 MB

enum class Chain { fma, shared, cluster_shared, l1, l2, device_memory };

void must(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::exit(1);
}

// One step: the word at `address`, which is the address of the next.
template <Chain kChain>
__device__ uint64_t next_of(uint64_t address) {
  uint64_t next = 0;
  if constexpr (kChain == Chain::shared)
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(next) : "r"(static_cast<uint32_t>(address)));
  if constexpr (kChain == Chain::cluster_shared)
    asm volatile("ld.shared::cluster.u64 %0, [%1];"
                 : "=l"(next)
                 : "r"(static_cast<uint32_t>(address)));
  if constexpr (kChain == Chain::l1)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(address));
  if constexpr (kChain == Chain::l2 || kChain == Chain::device_memory)
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(address));
  return next;
}

// Cycles of kCount steps from `at`, which is left at the end of the chain.
template <Chain kChain, int kCount>
__device__ int64_t cycles_of(uint64_t& at) {
  const int64_t begin = clock64();
  if constexpr (kChain == Chain::fma) {
    float value = __uint_as_float(static_cast<uint32_t>(at));
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(value));
    at = __float_as_uint(value);
  } else {
#pragma unroll 64
    for (int i = 0; i < kCount; ++i)
      at = next_of<kChain>(at);
  }
  asm volatile("" ::"l"(at) : "memory");
  return clock64() - begin;
}

// cycles[0]: of N steps, cycles[1]: of 2 N steps. A cluster has two blocks; block 0 measures.
template <Chain kChain, int kCount>
__global__ void __cluster_dims__(2) measure(uint64_t* words, int64_t* cycles, uint64_t* sink) {
  __shared__ uint64_t row[32];
  namespace cg = cooperative_groups;
  const auto cluster = cg::this_cluster();
  const auto own = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  if (threadIdx.x < 32) {
    uint32_t of_other = 0;
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(of_other) : "r"(own));
    const uint32_t base = kChain == Chain::cluster_shared ? of_other : own;
    row[threadIdx.x] = base + (threadIdx.x + 5) % 32 * 8;
  }
  cluster.sync();
  const bool chases_shared = kChain == Chain::shared || kChain == Chain::cluster_shared;
  if (blockIdx.x == 0) {
    uint64_t at = chases_shared ? row[0] : reinterpret_cast<uint64_t>(words);
    if (kChain != Chain::device_memory)
      cycles_of<kChain, kCount>(at);  // instructions and, for L1, the data are there
    const int64_t once = cycles_of<kChain, kCount>(at), twice = cycles_of<kChain, 2 * kCount>(at);
    if (threadIdx.x == 0) {
      cycles[0] = once;
      cycles[1] = twice;
      *sink = at;
    }
  }
  cluster.sync();
}

// Each word holds the address of the next: of itself, of a neighbour in a ring of 32, or of a line far away. The line
// after i is (a i + c) mod 2^k, which visits all 2^k lines for odd c and a = 1 mod 4 (Hull and Dobell, 1962).
__global__ void link(uint64_t* words, Chain chain) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= kLines) return;
  int64_t next = i;
  if (chain == Chain::l1) next = i / 32 * 32 + (i + 5) % 32;
  if (chain == Chain::device_memory) next = (i * 1664525 + 1013904223) & (kLines - 1);
  words[i * kLineWords] = reinterpret_cast<uint64_t>(words + next * kLineWords);
}

struct Memory {
  uint64_t *words = nullptr, *sink = nullptr, *filler = nullptr;
  int64_t* cycles = nullptr;
};

double median(std::vector<double> values, double part = 0.5) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

template <Chain kChain, int kCount = kSteps>
double cycles_per_step(const Memory& memory, int64_t line) {
  measure<kChain, kCount><<<2, 32>>>(memory.words + line * kLineWords, memory.cycles, memory.sink);
  int64_t cycles[2] = {};
  must(cudaMemcpy(cycles, memory.cycles, sizeof cycles, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return static_cast<double>(cycles[1] - cycles[0]) / kCount;
}

template <Chain kChain>
double median_of(const Memory& memory) {
  link<<<static_cast<unsigned>(kLines / 256), 256>>>(memory.words, kChain);
  std::vector<double> values;
  for (int i = 0; i < kTimes; ++i) {
    if (kChain == Chain::device_memory)
      must(cudaMemset(memory.filler, i, kLines * kLineWords * sizeof(uint64_t)), "cudaMemset");
    values.push_back(cycles_per_step<kChain>(memory, i * 9973));
  }
  return median(values);
}

}  // namespace

int main() {
  Memory memory;
  const size_t bytes = kLines * kLineWords * sizeof(uint64_t);
  must(cudaMalloc(&memory.words, bytes), "cudaMalloc");
  must(cudaMalloc(&memory.filler, bytes), "cudaMalloc");
  must(cudaMalloc(&memory.cycles, 2 * sizeof(int64_t)), "cudaMalloc");
  must(cudaMalloc(&memory.sink, sizeof(uint64_t)), "cudaMalloc");
  cudaDeviceProp properties;
  must(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");

  std::printf("{\"device\": \"%s\",\n", properties.name);
  std::printf(" \"fma_cycles\": %.2f,\n", median_of<Chain::fma>(memory));
  std::printf(" \"shared_cycles\": %.2f,\n", median_of<Chain::shared>(memory));
  std::printf(" \"cluster_shared_cycles\": %.2f,\n", median_of<Chain::cluster_shared>(memory));
  std::printf(" \"l1_cycles\": %.2f,\n", median_of<Chain::l1>(memory));
  link<<<static_cast<unsigned>(kLines / 256), 256>>>(memory.words, Chain::l2);
  std::vector<double> places;
  for (int i = 0; i < kPlaces; ++i)
    places.push_back(cycles_per_step<Chain::l2, 64>(memory, i * 37));
  std::printf(
      " \"l2_least_cycles\": %.1f,\n \"l2_first_quartile_cycles\": %.1f,\n \"l2_median_cycles\": %.1f,\n",
      median(places, 0), median(places, 0.25), median(places));
  std::printf(" \"l2_third_quartile_cycles\": %.1f,\n \"l2_most_cycles\": %.1f,\n",
              median(places, 0.75), median(places, 1));
  std::printf(" \"device_memory_cycles\": %.1f}\n", median_of<Chain::device_memory>(memory));
  return 0;
}
