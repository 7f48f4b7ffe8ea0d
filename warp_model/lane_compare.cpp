#include "warp_model/lane_compare.h"

#include <cstring>

namespace ridge::warp_model::detail {
namespace {

// The compiler's own vectors: two 16-byte operations on a plain x86-64, one on AVX2, the right thing elsewhere.
using Words = int32_t __attribute__((vector_size(32)));
using Bytes = uint8_t __attribute__((vector_size(32)));

constexpr int kLanes = 32, kChunk = 8;

[[gnu::always_inline]] inline void nearest_earlier_loop(const int32_t* keys, int32_t* nearest) {
  for (int first = 0; first < kLanes; first += kChunk) {
    Words own, other, least;
    std::memcpy(&own, keys + kLanes + first, sizeof own);
    std::memcpy(&other, keys + kLanes + first - 1, sizeof other);
    least = own ^ other;
    // Lanes of this chunk have at most first + 7 earlier ones.
    for (int back = 2; back < first + kChunk; ++back) {
      std::memcpy(&other, keys + kLanes + first - back, sizeof other);
      const Words differing = own ^ other;
      least = differing < least ? differing : least;
    }
    std::memcpy(nearest + first, &least, sizeof least);
  }
}

[[gnu::always_inline]] inline void rank_in_group_loop(const uint8_t* groups, uint8_t* rank) {
  Bytes own, other, count{};
  std::memcpy(&own, groups + kLanes, sizeof own);
  for (int back = 1; back < kLanes; ++back) {
    std::memcpy(&other, groups + kLanes - back, sizeof other);
    count -= reinterpret_cast<Bytes>(own == other);  // true is -1
  }
  std::memcpy(rank, &count, sizeof count);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void nearest_earlier_avx2(const int32_t* keys, int32_t* nearest) {
  nearest_earlier_loop(keys, nearest);
}
[[gnu::target("avx2")]] void rank_in_group_avx2(const uint8_t* groups, uint8_t* rank) {
  rank_in_group_loop(groups, rank);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2");
#endif

}  // namespace

void nearest_earlier(const int32_t* keys, int32_t* nearest) {
#if defined(__x86_64__)
  if (kHasAvx2) return nearest_earlier_avx2(keys, nearest);
#endif
  nearest_earlier_loop(keys, nearest);
}

void rank_in_group(const uint8_t* groups, uint8_t* rank) {
#if defined(__x86_64__)
  if (kHasAvx2) return rank_in_group_avx2(groups, rank);
#endif
  rank_in_group_loop(groups, rank);
}

}  // namespace ridge::warp_model::detail
