// Huffman coding: a histogram, canonical codes in constant memory, bit positions by a scan, codes
// of neighbours joined in one word by atomics, and a decoder that starts in the middle of the bits.
#include <algorithm>
#include <cstdint>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#include "check.h"

constexpr int kSymbols = 64, kCount = 50'000, kChunk = 128, kMaxLength = 24;

struct Code {
  uint32_t bits;
  uint8_t length;
};
// For canonical codes: the first code, the number of codes and the first index of each length.
struct Lengths {
  uint32_t first[kMaxLength + 1], count[kMaxLength + 1], index[kMaxLength + 1];
};
__constant__ Code codes[kSymbols];
__constant__ Lengths lengths;
__constant__ uint8_t by_code[kSymbols];

__global__ void count_symbols(const uint8_t* text, int n, unsigned* histogram) {
  __shared__ unsigned part[kSymbols];
  for (int i = threadIdx.x; i < kSymbols; i += blockDim.x)
    part[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&part[text[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < kSymbols; i += blockDim.x)
    if (part[i] != 0) atomicAdd(&histogram[i], part[i]);
}

__global__ void code_lengths(const uint8_t* text, int n, uint32_t* bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bits[i] = codes[text[i]].length;
}

// The first bit is the highest of a word; a code may straddle two words.
__global__ void pack(const uint8_t* text, int n, const uint32_t* begin, uint32_t* words,
                     uint32_t* chunks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Code code = codes[text[i]];
  const uint32_t at = begin[i], shift = at % 32;
  const uint64_t placed = static_cast<uint64_t>(code.bits) << (64 - code.length - shift);
  atomicOr(&words[at / 32], static_cast<uint32_t>(placed >> 32));
  if (static_cast<uint32_t>(placed) != 0)
    atomicOr(&words[at / 32 + 1], static_cast<uint32_t>(placed));
  if (i % kChunk == 0) chunks[i / kChunk] = at;
}

__global__ void unpack(const uint32_t* words, const uint32_t* chunks, int n, uint8_t* text) {
  const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
  if (chunk * kChunk >= n) return;
  uint32_t at = chunks[chunk];
  for (int i = chunk * kChunk; i < min(n, (chunk + 1) * kChunk); ++i) {
    const uint32_t window = __funnelshift_l(words[at / 32 + 1], words[at / 32], at % 32);
    int length = 1;
    while (length < kMaxLength &&
           (window >> (32 - length)) - lengths.first[length] >= lengths.count[length])
      ++length;
    text[i] = by_code[lengths.index[length] + (window >> (32 - length)) - lengths.first[length]];
    at += length;
  }
}

// Lengths of an optimal code by joining the two rarest again and again; then canonical codes.
void make_codes(const unsigned* histogram, Code* code, Lengths* table, uint8_t* order) {
  std::vector<std::pair<uint64_t, std::vector<int>>> trees;
  int length[kSymbols] = {};
  for (int s = 0; s < kSymbols; ++s)
    if (histogram[s] != 0) trees.push_back({histogram[s], {s}});
  while (trees.size() > 1) {
    std::stable_sort(trees.begin(), trees.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    auto last = trees.back();
    trees.pop_back();
    trees.back().first += last.first;
    trees.back().second.insert(trees.back().second.end(), last.second.begin(), last.second.end());
    for (int s : trees.back().second)
      ++length[s];
  }
  int sorted[kSymbols];
  std::iota(sorted, sorted + kSymbols, 0);
  std::stable_sort(sorted, sorted + kSymbols, [&](int a, int b) { return length[a] < length[b]; });
  uint32_t next = 0;
  int used = 0, before = 0;
  for (int s : sorted) {
    if (length[s] == 0) continue;
    next <<= length[s] - before;
    if (length[s] != before) table->first[length[s]] = next, table->index[length[s]] = used;
    before = length[s];
    ++table->count[length[s]];
    order[used++] = static_cast<uint8_t>(s);
    code[s] = {next++, static_cast<uint8_t>(length[s])};
  }
}

int main() {
  std::vector<uint8_t> text(kCount), again(kCount);
  uint32_t seed = 7;
  for (uint8_t& symbol : text) {  // symbol s with a probability of about 2^-s/4
    seed = seed * 1664525u + 1013904223u;
    const int rare = __builtin_clz(seed | 1u << 8);
    seed = seed * 1664525u + 1013904223u;
    symbol = static_cast<uint8_t>(std::min(kSymbols - 1, rare * 4 + static_cast<int>(seed >> 30)));
  }
  uint8_t *in = device_array<uint8_t>(kCount), *out = device_array<uint8_t>(kCount);
  unsigned* histogram = device_array<unsigned>(kSymbols);
  uint32_t *bits = device_array<uint32_t>(kCount + 1), *begin = device_array<uint32_t>(kCount + 1);
  uint32_t* chunks = device_array<uint32_t>(kCount / kChunk + 1);
  to_device(in, text.data(), kCount);
  check(cudaMemset(histogram, 0, kSymbols * sizeof(unsigned)), "memset");
  check(cudaMemset(bits, 0, (kCount + 1) * sizeof(uint32_t)), "memset");
  count_symbols<<<20, 256>>>(in, kCount, histogram);
  unsigned host[kSymbols];
  to_host(host, histogram, kSymbols);

  Code code[kSymbols] = {};
  Lengths table = {};
  uint8_t order[kSymbols] = {};
  make_codes(host, code, &table, order);
  check(cudaMemcpyToSymbol(codes, code, sizeof code), "codes");
  check(cudaMemcpyToSymbol(lengths, &table, sizeof table), "lengths");
  check(cudaMemcpyToSymbol(by_code, order, sizeof order), "order");

  const int blocks = (kCount + 255) / 256;
  code_lengths<<<blocks, 256>>>(in, kCount, bits);
  size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, bits, begin, kCount + 1), "size of the scan");
  check(cub::DeviceScan::ExclusiveSum(device_array<char>(bytes), bytes, bits, begin, kCount + 1),
        "scan");
  uint32_t total = 0;
  to_host(&total, begin + kCount, 1);
  const uint32_t count = total / 32 + 2;
  uint32_t* words = device_array<uint32_t>(count);
  check(cudaMemset(words, 0, count * sizeof(uint32_t)), "memset");
  pack<<<blocks, 256>>>(in, kCount, begin, words, chunks);
  unpack<<<(kCount / kChunk + 128) / 128, 128>>>(words, chunks, kCount, out);
  finish("kernels");
  to_host(again.data(), out, kCount);
  std::vector<uint32_t> packed(count);
  to_host(packed.data(), words, count);
  uint32_t sum = 0;
  for (uint32_t word : packed)
    sum = sum * 31 + word;
  printf("%d symbols in %u bits, longest code %d, words %08x\n", kCount, total,
         std::max_element(code, code + kSymbols, [](Code a, Code b) { return a.length < b.length; })
             ->length,
         sum);
  printf("the same after unpacking: %s\n", text == again ? "yes" : "no");
  return 0;
}
