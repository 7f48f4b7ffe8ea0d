// out[0] .. out[k - 1] = the k largest of n floats, the largest first.
//
// A transfer task: no parts are given. The statement, the sizes and the limits are in transfer.h;
// scratch.h has memory for intermediate results. CUB 3.0 has no selection, so the grade is your
// speed in percent of CUB's DeviceRadixSort of all elements, which a selection must exceed.
//
//     ./ridge grade 13-transfer-tasks/3-top-k
//
// Hypothesis: a sort moves every element eight times; the k-th largest can be found by reading all
// elements twice, and few of them a third time.
// What changed: this is a task of its own. Radix select: count the values of the leading 11 bits,
// find the one in which the k-th largest lies, keep the elements that have it, go on with 11 and 10
// further bits among those only, and sort k elements in one block at the end.
// What that bought: two reads of all elements, 8 bytes per element, where a sort moves 36. The
// second read takes longer than the first, because the candidates are stored.
// Measured on an H200: 606.8% of CUB (course/measured/nvidia-h200).
#include <cstdint>

#include "scratch.h"
#include "transfer.h"

namespace {

constexpr unsigned kAll = 0xffffffff;  // all lanes of a warp
constexpr int kBins = 2048, kMostK = 2048;
constexpr int kLeading = 21;  // the digit of level 0 is key >> kLeading
constexpr int kThreads = 1024, kCopies = 4, kBlocks = 2 * 132;
constexpr int kVectors = 4, kTile = kThreads * kVectors * 4;  // elements per step of a block

// The digits of levels 0, 1 and 2 have 11, 11 and 10 bits.
__host__ __device__ constexpr int shift_of(int level) {
  return level == 0 ? kLeading : level == 1 ? 10 : 0;
}

struct State {
  uint32_t digits;   // the leading bits of the k-th largest key, as far as they are known
  int needed;        // it is the needed-th largest among the keys with these bits
  int chosen, kept;  // keys that are certainly among the k largest; candidates
};
struct Room {
  State state;
  int counts[3][kBins];
  uint32_t chosen[kMostK];  // [state.chosen]: larger than the k-th largest, so fewer than k
};

// Keys are in the order of the floats as unsigned numbers: negative floats have all bits inverted,
// others the sign bit only.
__device__ uint32_t key_of(float x) {
  const uint32_t bits = __float_as_uint(x);
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
__device__ float float_of(uint32_t key) {
  return __uint_as_float(key ^ (key >> 31 ? 0x80000000u : 0xffffffffu));
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

__global__ void __launch_bounds__(kThreads)
    count_leading_digits(const float* in, int n, int* counts) {
  __shared__ int own[kBins][kCopies];
  for (int i = threadIdx.x; i < kBins * kCopies; i += kThreads)
    own[i / kCopies][i % kCopies] = 0;
  __syncthreads();
  const int copy = threadIdx.x % kCopies;
  const auto* vectors = reinterpret_cast<const float4*>(in);
  const int whole = n / 4;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads * kVectors + threadIdx.x;
       first < whole; first += static_cast<int64_t>(gridDim.x) * kThreads * kVectors) {
    float4 x[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v)
      if (first + v * kThreads < whole) x[v] = vectors[first + v * kThreads];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if (first + v * kThreads >= whole) break;
      atomicAdd(&own[key_of(x[v].x) >> kLeading][copy], 1);
      atomicAdd(&own[key_of(x[v].y) >> kLeading][copy], 1);
      atomicAdd(&own[key_of(x[v].z) >> kLeading][copy], 1);
      atomicAdd(&own[key_of(x[v].w) >> kLeading][copy], 1);
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4)
    atomicAdd(&own[key_of(in[4 * whole + threadIdx.x]) >> kLeading][copy], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += kThreads) {
    int sum = 0;
    for (int c = 0; c < kCopies; ++c)
      sum += own[bin][c];
    if (sum > 0) atomicAdd(&counts[bin], sum);
  }
}

// One block. Thread t has the two bins 2047 - 2t and 2046 - 2t: the largest digits come first.
__global__ void __launch_bounds__(kThreads) find_digit(Room* room, int level) {
  __shared__ int of_warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t larger = kBins - 1 - 2 * threadIdx.x;
  const int in_larger = room->counts[level][larger], in_smaller = room->counts[level][larger - 1];
  const int until = static_cast<int>(sum_until_lane(in_larger + in_smaller));
  if (lane == 31) of_warps[warp] = until;
  const int needed = room->state.needed;
  __syncthreads();
  int before = until - in_larger - in_smaller;
  for (int w = 0; w < warp; ++w)
    before += of_warps[w];
  // True for one thread: with its bins, and not before them, the larger keys reach `needed`.
  if (before < needed && needed <= before + in_larger) {
    room->state.digits |= larger << shift_of(level);
    room->state.needed = needed - before;
  } else if (before + in_larger < needed && needed <= before + in_larger + in_smaller) {
    room->state.digits |= (larger - 1) << shift_of(level);
    room->state.needed = needed - before - in_larger;
  }
}

// Keys above the leading digit are chosen, those with it are kept in `kept`.
__global__ void __launch_bounds__(kThreads)
    split_by_leading_digit(const float* in, int n, Room* room, uint32_t* kept) {
  __shared__ uint32_t of_warps[32];
  __shared__ int kept_at[32], chosen_at[32];  // [warp]: where its keys go
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t digit = room->state.digits >> kLeading;
  for (int64_t tile = static_cast<int64_t>(blockIdx.x) * kTile; tile < n;
       tile += static_cast<int64_t>(gridDim.x) * kTile) {
    uint32_t keys[kVectors * 4];  // 0 beyond the end: smaller than the key of any number
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = tile + 4 * (v * kThreads + threadIdx.x);
      if (at + 3 < n) {
        const float4 four = __ldcs(reinterpret_cast<const float4*>(in + at));
        keys[4 * v] = key_of(four.x), keys[4 * v + 1] = key_of(four.y);
        keys[4 * v + 2] = key_of(four.z), keys[4 * v + 3] = key_of(four.w);
      } else {
        for (int e = 0; e < 4; ++e)
          keys[4 * v + e] = at + e < n ? key_of(in[at + e]) : 0;
      }
    }
    uint32_t own = 0;  // lower half: to keep, upper half: chosen; at most 16384 of each in a tile
#pragma unroll
    for (const uint32_t key : keys)
      own += (key >> kLeading == digit ? 1 : 0) + (key >> kLeading > digit ? 1 << 16 : 0);
    const uint32_t until = sum_until_lane(own);
    if (lane == 31) of_warps[warp] = until;
    __syncthreads();
    if (warp == 0) {
      const uint32_t of_warp = of_warps[lane], until_warp = sum_until_lane(of_warp);
      int kept_before = 0, chosen_before = 0;
      if (lane == 31) {  // one addition per block for each list
        if (until_warp & 0xffff) kept_before = atomicAdd(&room->state.kept, until_warp & 0xffff);
        if (until_warp >> 16) chosen_before = atomicAdd(&room->state.chosen, until_warp >> 16);
      }
      const uint32_t before = until_warp - of_warp;
      kept_at[lane] = __shfl_sync(kAll, kept_before, 31) + (before & 0xffff);
      chosen_at[lane] = __shfl_sync(kAll, chosen_before, 31) + (before >> 16);
    }
    __syncthreads();
    int to_kept = kept_at[warp] + ((until - own) & 0xffff);
    int to_chosen = chosen_at[warp] + ((until - own) >> 16);
#pragma unroll
    for (const uint32_t key : keys) {
      if (key >> kLeading == digit)
        kept[to_kept++] = key;
      else if (key >> kLeading > digit)
        room->chosen[to_chosen++] = key;
    }
  }
}

// Counts the digit of `level` among the kept keys whose digits before it are known to be right.
__global__ void __launch_bounds__(kThreads)
    count_next_digits(const uint32_t* kept, Room* room, int level) {
  __shared__ int own[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += kThreads)
    own[bin] = 0;
  __syncthreads();
  const uint32_t digits = room->state.digits;
  const int known = shift_of(level - 1), shift = shift_of(level), count = room->state.kept;
  for (int64_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
    const uint32_t key = kept[i];
    if (key >> known == digits >> known)
      atomicAdd(&own[key >> shift & ((1u << (known - shift)) - 1)], 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += kThreads)
    if (own[bin] > 0) atomicAdd(&room->counts[level][bin], own[bin]);
}

// Kept keys that are larger than the k-th largest key, which is now known.
__global__ void __launch_bounds__(kThreads) choose_larger(const uint32_t* kept, Room* room) {
  const uint32_t digits = room->state.digits;
  const int count = room->state.kept;
  for (int64_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
    if (kept[i] > digits) room->chosen[atomicAdd(&room->state.chosen, 1)] = kept[i];
}

// One block: a bitonic sort of the chosen keys, filled up with copies of the k-th largest key.
__global__ void __launch_bounds__(kThreads) sort_chosen(const Room* room, float* out, int k) {
  __shared__ uint32_t keys[kMostK];
  const int chosen = room->state.chosen;
  int size = 1;
  while (size < k)
    size *= 2;
  for (int i = threadIdx.x; i < size; i += kThreads)
    keys[i] = i < chosen ? room->chosen[i] : i < k ? room->state.digits : 0;
  for (int length = 2; length <= size; length *= 2)
    for (int distance = length / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < size / 2; pair += kThreads) {
        const int low = pair / distance * 2 * distance + pair % distance, high = low + distance;
        const uint32_t a = keys[low], b = keys[high];
        const bool descending = (low & length) == 0;
        if ((a < b) == descending) keys[low] = b, keys[high] = a;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < k; i += kThreads)
    out[i] = float_of(keys[i]);
}

__global__ void begin(Room* room, int k) {
  for (int i = threadIdx.x; i < 3 * kBins; i += kThreads)
    room->counts[i / kBins][i % kBins] = 0;
  if (threadIdx.x == 0) room->state = {0, k, 0, 0};
}

}  // namespace

extern "C" void top_k(const float* in, float* out, int n, int k, cudaStream_t stream) {
  const size_t room_bytes = (sizeof(Room) + 255) / 256 * 256;
  auto* room = static_cast<Room*>(scratch(room_bytes + n * sizeof(uint32_t)));
  auto* kept = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(room) + room_bytes);  // [n]
  const int tiles = (n + kTile - 1) / kTile, blocks = tiles < kBlocks ? tiles : kBlocks;
  begin<<<1, kThreads, 0, stream>>>(room, k);
  count_leading_digits<<<blocks, kThreads, 0, stream>>>(in, n, room->counts[0]);
  find_digit<<<1, kThreads, 0, stream>>>(room, 0);
  split_by_leading_digit<<<blocks, kThreads, 0, stream>>>(in, n, room, kept);
  for (int level = 1; level < 3; ++level) {
    count_next_digits<<<blocks, kThreads, 0, stream>>>(kept, room, level);
    find_digit<<<1, kThreads, 0, stream>>>(room, level);
  }
  choose_larger<<<blocks, kThreads, 0, stream>>>(kept, room);
  sort_chosen<<<1, kThreads, 0, stream>>>(room, out, k);
}
