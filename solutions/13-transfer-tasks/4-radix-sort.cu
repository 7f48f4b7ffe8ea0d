// out = n floats in ascending order.
//
// A transfer task: no parts are given. The statement, the sizes and the limits are in transfer.h;
// scratch.h has memory for intermediate results. The grade is your speed in percent of CUB's
// DeviceRadixSort.
//
//     ./ridge grade 13-transfer-tasks/4-radix-sort
//
// Hypothesis: four passes of 8 bits, each of which reads and writes the keys once, take as long as
// their bytes; the ranks within a tile must cost less than that.
// What changed: this is a task of its own. One kernel counts all four digits; in each pass a tile
// ranks its keys, learns by look-back how many keys of each digit the earlier tiles have, and
// stores its keys in the order of their digit ("onesweep", Adinets and Merrill, 2022).
// What that bought: four passes that publish their counts before they rank: later tiles then seldom
// wait.
// Measured on an H200: 117.5% of CUB (course/measured/nvidia-h200).
#include <cstdint>

#include "scratch.h"
#include "transfer.h"

namespace {

constexpr unsigned kAll = 0xffffffff;  // all lanes of a warp
constexpr int kDigits = 256, kPasses = 4;
constexpr int kThreads = 384, kWarps = kThreads / 32, kBlocksPerSm = 3;
constexpr int kKeys = 23, kTile = kThreads * kKeys;  // keys per thread, and per block

// What a tile has published for a digit: the count of its own keys, or of all keys up to and with
// its own, below two bits that say which.
constexpr uint32_t kOwn = 1u << 30, kUntil = 2u << 30, kCount = kOwn - 1;

struct alignas(256) Room {
  uint32_t starts[kPasses][kDigits];  // first counts, then where a digit's keys begin
  int next_tile[kPasses];
  // uint32_t published[kPasses][tiles][kDigits] follows
};

// Keys are in the order of the floats as unsigned numbers: negative floats have all bits inverted,
// others the sign bit only.
__device__ uint32_t key_of(uint32_t bits) {
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
__device__ uint32_t bits_of(uint32_t key) {
  return key ^ (key >> 31 ? 0x80000000u : 0xffffffffu);
}
__device__ uint32_t digit_of(uint32_t key, int pass) {
  return key >> 8 * pass & (kDigits - 1);
}

__device__ uint32_t sum_until_lane(uint32_t own) {  // of lanes 0 to this one
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(kAll, own, d);
    if (lane >= d) own += before;
  }
  return own;
}

// What the threads below this one have, for the first kDigits threads. All threads must call it.
__device__ uint32_t sum_before_thread(uint32_t own) {
  __shared__ uint32_t of_warps[kDigits / 32];
  const int warp = threadIdx.x / 32;
  uint32_t before = 0;
  if (threadIdx.x < kDigits) {
    const uint32_t until = sum_until_lane(own);
    if (threadIdx.x % 32 == 31) of_warps[warp] = until;
    before = until - own;
  }
  __syncthreads();
  if (threadIdx.x < kDigits)
    for (int w = 0; w < warp; ++w)
      before += of_warps[w];
  return before;
}

__global__ void __launch_bounds__(kThreads) count_digits(const uint32_t* in, int n, Room* room) {
  constexpr int kVectors = 4;
  __shared__ uint32_t counts[kPasses][kDigits][2];  // two copies: fewer lanes per counter
  for (int i = threadIdx.x; i < kPasses * kDigits * 2; i += kThreads)
    (&counts[0][0][0])[i] = 0;
  __syncthreads();
  const auto count = [&](uint32_t bits) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      atomicAdd(&counts[pass][digit_of(key_of(bits), pass)][threadIdx.x % 2], 1);
  };
  const auto* vectors = reinterpret_cast<const uint4*>(in);
  const int whole = n / 4, stride = gridDim.x * kThreads;
  for (int64_t first = blockIdx.x * kThreads + threadIdx.x; first < whole;
       first += static_cast<int64_t>(kVectors) * stride) {
    uint4 x[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v)
      if (first + static_cast<int64_t>(v) * stride < whole) x[v] = vectors[first + v * stride];
#pragma unroll
    for (int v = 0; v < kVectors; ++v)
      if (first + static_cast<int64_t>(v) * stride < whole)
        count(x[v].x), count(x[v].y), count(x[v].z), count(x[v].w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) count(in[4 * whole + threadIdx.x]);
  __syncthreads();
  for (int i = threadIdx.x; i < kPasses * kDigits; i += kThreads) {
    const uint32_t* both = counts[i / kDigits][i % kDigits];
    if (both[0] + both[1] > 0)
      atomicAdd(&room->starts[i / kDigits][i % kDigits], both[0] + both[1]);
  }
}

__global__ void __launch_bounds__(kDigits) sum_counts(Room* room) {  // one block per pass
  uint32_t& start = room->starts[blockIdx.x][threadIdx.x];
  start = sum_before_thread(start);
}

// How many keys of digit threadIdx.x all earlier tiles have: backwards, four tiles per step, until
// one has published the count of all keys up to its own.
__device__ uint32_t count_in_earlier_tiles(int tile, const volatile uint32_t* published) {
  constexpr int kAtOnce = 4;
  uint32_t sum = 0;
  int nearest = tile - 1;
  while (nearest >= 0) {
    uint32_t words[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      words[i] = nearest >= i ? published[(nearest - i) * kDigits + threadIdx.x] : 0;
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (words[i] == 0) break;  // not published yet: look again
      sum += words[i] & kCount;
      if (words[i] & kUntil) return sum;
      --nearest;
    }
  }
  return sum;
}

// The lanes whose key has the same digit.
__device__ unsigned lanes_with_digit_of(uint32_t key, int pass) {
  unsigned same = kAll;
#pragma unroll
  for (int bit = 0; bit < 8; ++bit) {
    const bool set = key >> (8 * pass + bit) & 1;
    const unsigned lanes = __ballot_sync(kAll, set);
    same &= set ? lanes : ~lanes;
  }
  return same;
}

struct Shared {
  uint32_t keys[kTile];            // in the order of their digit
  uint32_t next[kWarps][kDigits];  // first a warp's counts, then where its next key goes in `keys`
  uint32_t place[kDigits];         // in `out`, less the position in `keys`
  int tile;
};

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_by_digit(const uint32_t* in, uint32_t* out, int n, Room* room,
                  volatile uint32_t* published, int pass) {
  extern __shared__ __align__(16) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  // Tiles are numbered in the order in which blocks start: earlier ones run or have ended.
  if (t == 0) shared.tile = atomicAdd(&room->next_tile[pass], 1);
  for (int i = t; i < kWarps * kDigits; i += kThreads)
    shared.next[i / kDigits][i % kDigits] = 0;
  __syncthreads();
  const int tile = shared.tile;
  const int64_t begin = static_cast<int64_t>(tile) * kTile;
  const int keys_here = n - begin < kTile ? static_cast<int>(n - begin) : kTile;

  uint32_t keys[kKeys];
#pragma unroll
  for (int i = 0; i < kKeys; ++i) {
    const int at = warp * 32 * kKeys + 32 * i + lane;
    const uint32_t bits = at < keys_here ? in[begin + at] : 0;
    keys[i] = pass == 0 ? key_of(bits) : bits;
    if (at >= keys_here) keys[i] = kAll;  // sorts behind all others of the last tile
  }
#pragma unroll
  for (int i = 0; i < kKeys; ++i)
    atomicAdd(&shared.next[warp][digit_of(keys[i], pass)], 1);
  __syncthreads();
  uint32_t own = 0;  // thread d < 256: the tile's keys with digit d
  if (t < kDigits) {
    for (int w = 0; w < kWarps; ++w) {
      const uint32_t of_warp = shared.next[w][t];
      shared.next[w][t] = own;  // what the warps before have
      own += of_warp;
    }
    published[tile * kDigits + t] = (tile == 0 ? kUntil : kOwn) | own;  // early: others wait for it
  }
  const uint32_t smaller = sum_before_thread(own);  // keys of the tile with smaller digits
  if (t < kDigits)
    for (int w = 0; w < kWarps; ++w)
      shared.next[w][t] += smaller;
  __syncthreads();
  // A warp's keys in order: those of one digit go to neighbouring positions.
#pragma unroll
  for (int i = 0; i < kKeys; ++i) {
    uint32_t& next = shared.next[warp][digit_of(keys[i], pass)];
    const unsigned same = lanes_with_digit_of(keys[i], pass), before = same & ((1u << lane) - 1);
    const uint32_t first = next;
    __syncwarp();
    if (before == 0) next = first + __popc(same);
    __syncwarp();
    shared.keys[first + __popc(before)] = keys[i];
  }
  if (t < kDigits) {
    const uint32_t earlier = count_in_earlier_tiles(tile, published);
    if (tile > 0) published[tile * kDigits + t] = kUntil | (earlier + own);
    shared.place[t] = room->starts[pass][t] + earlier - smaller;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kKeys; ++i) {
    const int at = t + i * kThreads;
    if (at >= keys_here) continue;
    const uint32_t key = shared.keys[at];
    out[shared.place[digit_of(key, pass)] + at] = pass == kPasses - 1 ? bits_of(key) : key;
  }
}

// words[0] to words[count - 1] = 0
__global__ void __launch_bounds__(kThreads) clear(uint32_t* words, int count) {
  for (int64_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
    words[i] = 0;
}

}  // namespace

extern "C" void radix_sort(const float* in, float* out, int n, cudaStream_t stream) {
  const int tiles = (n + kTile - 1) / kTile;
  const size_t keys_bytes = (static_cast<size_t>(n) * sizeof(uint32_t) + 255) / 256 * 256;
  const size_t published_words = static_cast<size_t>(tiles) * kDigits;  // of one pass
  const size_t room_bytes = sizeof(Room) + kPasses * published_words * sizeof(uint32_t);
  auto* other = static_cast<uint32_t*>(scratch(keys_bytes + room_bytes));  // [n]
  auto* room = reinterpret_cast<Room*>(reinterpret_cast<char*>(other) + keys_bytes);
  auto* published = reinterpret_cast<uint32_t*>(room + 1);  // [kPasses][tiles][kDigits]
  const int blocks = tiles < 4 * 132 ? tiles : 4 * 132;
  clear<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<uint32_t*>(room), room_bytes / 4);
  count_digits<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<const uint32_t*>(in), n, room);
  sum_counts<<<kPasses, kDigits, 0, stream>>>(room);
  cudaFuncSetAttribute(sort_by_digit, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  const uint32_t* from = reinterpret_cast<const uint32_t*>(in);
  for (int pass = 0; pass < kPasses; ++pass) {
    uint32_t* to = pass % 2 ? reinterpret_cast<uint32_t*>(out) : other;
    sort_by_digit<<<tiles, kThreads, sizeof(Shared), stream>>>(
        from, to, n, room, published + pass * published_words, pass);
    from = to;
  }
}
