// Searching, matching, hashing, gathering, and arithmetic on integers.
#include "everyday.h"

constexpr int kCount = 8192, kThreads = 128, kBlocks = 32;

__global__ void lower_bounds(const int* sorted, int count, const int* wanted, int* out, int queries) {
  const int i = global_index();
  if (i >= queries) return;
  const int key = wanted[i];
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
}

__global__ void find_exactly(const long long* sorted, int count, const long long* wanted, int* out, int queries) {
  const int i = global_index();
  if (i >= queries) return;
  int left = 0, right = count - 1, found = -1;
  while (left <= right) {
    const int middle = (left + right) >> 1;
    const long long value = sorted[middle];
    if (value == wanted[i]) {
      found = middle;
      break;
    }
    if (value < wanted[i])
      left = middle + 1;
    else
      right = middle - 1;
  }
  out[i] = found;
}

__global__ void search_without_branches(const float* sorted, const float* wanted, int* out, int log2_count) {
  const int i = global_index();
  const float key = wanted[i];
  int at = 0;
  for (int step = 1 << (log2_count - 1); step > 0; step >>= 1)
    at += sorted[at + step - 1] < key ? step : 0;
  out[i] = at;
}

// One node of 16 keys per step, in the manner of a B+ tree.
__global__ void tree_lookup(const int* keys, const int* children, const int* wanted, int* out, int height) {
  const int i = global_index();
  const int key = wanted[i];
  int node = 0;
  for (int level = 0; level < height; ++level) {
    int k = 0;
    while (k < 15 && keys[node * 16 + k] <= key)
      ++k;
    node = children[node * 16 + k];
  }
  out[i] = node;
}

__global__ void match_pattern(const char* text, const char* pattern, int length, int pattern_length, int* out) {
  const int i = global_index();
  if (i > length - pattern_length) return;
  int k = 0;
  while (k < pattern_length && text[i + k] == pattern[k])
    ++k;
  out[i] = k == pattern_length;
}

__global__ void count_words(const char* text, int length, unsigned* total) {
  const int per_thread = 16, first = global_index() * per_thread;
  unsigned count = 0;
  for (int k = 0; k < per_thread && first + k < length; ++k) {
    const char c = text[first + k];
    const bool letter = c >= 'c';
    const bool before = first + k > 0 && text[first + k - 1] >= 'c';
    if (letter && !before) ++count;
  }
  count += __shfl_xor_sync(0xffffffffu, count, 1);
  count += __shfl_xor_sync(0xffffffffu, count, 2);
  if (threadIdx.x % 4 == 0) atomicAdd(total, count);
}

__device__ unsigned hash_of(unsigned key) {
  key ^= key >> 16;
  key *= 0x7feb352du;
  key ^= key >> 15;
  key *= 0x846ca68bu;
  return key ^ (key >> 16);
}

__global__ void table_insert(const unsigned* keys, unsigned* table, unsigned mask, int count) {
  const int i = global_index();
  if (i >= count) return;
  const unsigned key = keys[i] | 1;
  unsigned slot = hash_of(key) & mask;
  while (true) {
    const unsigned old = atomicCAS(&table[slot], 0u, key);
    if (old == 0 || old == key) return;
    slot = (slot + 1) & mask;
  }
}

__global__ void table_lookup(const unsigned* keys, const unsigned* table, unsigned mask, unsigned char* found, int count) {
  const int i = global_index();
  if (i >= count) return;
  unsigned slot = hash_of(keys[i]) & mask;
  for (int tries = 0; tries < 32; ++tries) {
    const unsigned here = table[slot];
    if (here == keys[i] || here == 0) {
      found[i] = here != 0;
      return;
    }
    slot = (slot + 1) & mask;
  }
  found[i] = 2;
}

__global__ void bloom_filter(const unsigned* keys, unsigned* bits, int words) {
  const unsigned h = hash_of(keys[global_index()]);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const unsigned bit = (h >> (8 * k)) * 37u % (32u * words);
    atomicOr(&bits[bit / 32], 1u << (bit % 32));
  }
}

__global__ void gather(const float* in, const int* from, float* out, int count) {
  const int i = global_index();
  if (i < count) out[i] = in[from[i]];
}

__global__ void scatter(const float* in, const int* to, float* out, int count) {
  const int i = global_index();
  if (i < count) out[to[i]] = in[i];
}

__global__ void scatter_bytes(const unsigned char* in, unsigned char* out, int stride, int count) {
  const int i = global_index();
  if (i < count) out[i * stride] = in[i];
}

// One lane of each warp stores; neighbouring warps store to neighbouring words.
__global__ void one_store_per_warp(const int* in, int* out) {
  const unsigned positive = __ballot_sync(0xffffffffu, in[global_index()] > 500);
  if ((threadIdx.x & 31) == 0) out[global_index() / 32] = __popc(positive);
}

__global__ void one_store_per_warp_apart(const int* in, int* out) {
  const int most = __reduce_max_sync(0xffffffffu, in[global_index()]);
  if ((threadIdx.x & 31) == 5) out[global_index()] = most;
}

__global__ void odd_lanes_store(const short* in, short* out) {
  const int i = global_index();
  if (i % 2 == 1) out[i] = in[i] + in[i - 1];
}

__global__ void run_lengths(const int* in, int* lengths, int count) {
  const int i = global_index();
  if (i >= count || (i > 0 && in[i] == in[i - 1])) return;
  int end = i + 1;
  while (end < count && in[end] == in[i])
    ++end;
  lengths[i] = end - i;
}

__global__ void greatest_divisor(const unsigned* a, const unsigned* b, unsigned* out) {
  const int i = global_index();
  unsigned x = a[i] + 1, y = b[i] + 1;
  while (y != 0) {
    const unsigned rest = x % y;
    x = y;
    y = rest;
  }
  out[i] = x;
}

__global__ void collatz(int* out, int limit) {
  unsigned long long n = global_index() + 1;
  int steps = 0;
  while (n != 1 && steps < limit) {
    n = (n & 1) ? 3 * n + 1 : n >> 1;
    ++steps;
  }
  out[global_index()] = steps;
}

__global__ void sieve(unsigned char* composite, int limit) {
  const int p = global_index() + 2;
  if (p * p > limit) return;
  for (int k = 2; k < p; ++k)
    if (p % k == 0) return;
  for (int m = p * p; m <= limit; m += p)
    composite[m] = 1;
}

__constant__ unsigned crc_table[16];

__global__ void crc_of_rows(const unsigned char* in, unsigned* out, int bytes) {
  unsigned crc = 0xffffffffu;
  for (int k = 0; k < bytes; ++k) {
    const unsigned char c = in[global_index() * bytes + k];
    crc = crc_table[(crc ^ c) & 15] ^ (crc >> 4);
    crc = crc_table[(crc ^ (c >> 4)) & 15] ^ (crc >> 4);
  }
  out[global_index()] = ~crc;
}

__global__ void cipher_rounds(uint2* data, uint4 key, int rounds) {
  uint2 v = data[global_index()];
  unsigned sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    sum += 0x9e3779b9u;
    v.x += ((v.y << 4) + key.x) ^ (v.y + sum) ^ ((v.y >> 5) + key.y);
    v.y += ((v.x << 4) + key.z) ^ (v.x + sum) ^ ((v.x >> 5) + key.w);
  }
  data[global_index()] = v;
}

__global__ void power_modulo(const unsigned long long* in, unsigned long long* out, unsigned exponent, unsigned long long modulus) {
  unsigned long long base = in[global_index()] % modulus, result = 1;
  for (unsigned e = exponent; e != 0; e >>= 1) {
    if (e & 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  out[global_index()] = result;
}

__global__ void queens(int* solutions, int size) {
  const int i = global_index();
  if (i >= size * size) return;
  const unsigned all = (1u << size) - 1, first = 1u << (i / size), second = 1u << (i % size);
  unsigned free_at[12], columns[12], left[12], right[12];
  if ((second & (first | first << 1 | first >> 1)) != 0) {
    solutions[i] = 0;
    return;
  }
  int depth = 0, count = 0;
  columns[0] = first | second;
  left[0] = ((first << 1) | second) << 1;
  right[0] = ((first >> 1) | second) >> 1;
  free_at[0] = all & ~(columns[0] | left[0] | right[0]);
  while (depth >= 0) {
    if (free_at[depth] == 0) {
      --depth;
      continue;
    }
    const unsigned bit = free_at[depth] & -free_at[depth];
    free_at[depth] ^= bit;
    if (depth == size - 3) {
      ++count;
      continue;
    }
    columns[depth + 1] = columns[depth] | bit;
    left[depth + 1] = (left[depth] | bit) << 1;
    right[depth + 1] = (right[depth] | bit) >> 1;
    ++depth;
    free_at[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
  }
  solutions[i] = count;
}

int main() {
  int* sorted = device_values<int>(kCount, [](size_t i) { return 5 * i + number_at(i) % 5; });
  int* wanted = random_integers(kCount, 5 * kCount);
  int* out = device_array<int>(kCount);
  lower_bounds<<<kBlocks, kThreads>>>(sorted, kCount, wanted, out, 4000);
  find_exactly<<<kBlocks, kThreads>>>(device_values<long long>(kCount, [](size_t i) { return 2 * i; }), kCount,
                                      random_integers<long long>(kCount, 2 * kCount), out, 4000);
  search_without_branches<<<kBlocks, kThreads>>>(device_values<float>(kCount, [](size_t i) { return i; }),
                                                 device_values<float>(kCount, [](size_t i) { return number_at(i) % kCount; }), out, 13);
  tree_lookup<<<kBlocks, kThreads>>>(device_values<int>(273 * 16, [](size_t i) { return i % 16 * 2500 + i / 16; }),
                                     random_integers(273 * 16, 273), wanted, out, 3);
  char* text = device_values<char>(kCount, [](size_t i) { return 'a' + number_at(i) % 5; });
  match_pattern<<<kBlocks, kThreads>>>(text, text + 100, 4000, 6, out);
  count_words<<<4, kThreads>>>(text, kCount - 3, device_array<unsigned>(1));
  unsigned* keys = random_integers<unsigned>(kCount, 1u << 31);
  table_insert<<<kBlocks, kThreads>>>(keys, device_array<unsigned>(kCount), kCount - 1, 4000);
  table_lookup<<<kBlocks, kThreads>>>(keys, device_values<unsigned>(kCount, [](size_t i) {
    return i % 3 ? number_at(i) % 100 : 0;
  }), kCount - 1, reinterpret_cast<unsigned char*>(out), 4000);
  bloom_filter<<<8, kThreads>>>(keys, device_array<unsigned>(64), 64);
  float* reals = random_reals(kCount);
  int* places = random_integers(kCount, kCount);
  gather<<<kBlocks, kThreads>>>(reals, places, reinterpret_cast<float*>(out), 4050);
  scatter<<<kBlocks, kThreads>>>(reals, device_values<int>(kCount, [](size_t i) { return i * 2053 % kCount; }),
                                 reinterpret_cast<float*>(out), 4050);
  scatter_bytes<<<kBlocks, kThreads>>>(random_integers<unsigned char>(kCount, 256), reinterpret_cast<unsigned char*>(out), 5, 4096);
  int* integers = random_integers(kCount, 1000);
  one_store_per_warp<<<kBlocks, kThreads>>>(integers, out);
  one_store_per_warp_apart<<<kBlocks, kThreads>>>(integers, out);
  odd_lanes_store<<<kBlocks, kThreads>>>(reinterpret_cast<short*>(integers), reinterpret_cast<short*>(out));
  run_lengths<<<kBlocks, kThreads>>>(random_integers(kCount, 2), out, 4000);
  greatest_divisor<<<8, kThreads>>>(keys, keys + 2000, reinterpret_cast<unsigned*>(out));
  collatz<<<8, kThreads>>>(out, 60);
  sieve<<<1, 64>>>(device_array<unsigned char>(4001), 4000);
  unsigned table[16];
  for (int k = 0; k < 16; ++k)
    table[k] = number_at(k);
  require(cudaMemcpyToSymbol(crc_table, table, sizeof table));
  crc_of_rows<<<8, kThreads>>>(random_integers<unsigned char>(8 * kThreads * 12, 256), reinterpret_cast<unsigned*>(out), 12);
  cipher_rounds<<<8, kThreads>>>(device_array<uint2>(1024), uint4{1, 2, 3, 4}, 32);
  power_modulo<<<4, kThreads>>>(random_integers<unsigned long long>(1024, 1u << 31), device_array<unsigned long long>(512), 1000003,
                                2147483647ull);
  queens<<<1, 64>>>(out, 8);
  finish();
}
