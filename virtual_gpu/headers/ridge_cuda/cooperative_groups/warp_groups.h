// Groups of lanes of one warp: the members are the bits of a mask, ranked from the lowest.
#pragma once

namespace cooperative_groups {

template <unsigned kSize, class Parent>
class thread_block_tile;

namespace details {

__device__ inline unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
__device__ inline unsigned lanes_below() {
  return (1u << lane()) - 1;
}

// What every group of lanes has; `Derived` has mask() and the lane of a rank.
template <class Derived>
class LaneGroup {
 public:
  __device__ void sync() const { __syncwarp(mask()); }
  __device__ unsigned size() const { return __popc(mask()); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const { return __popc(mask() & lanes_below()); }

  template <class T>
  __device__ T shfl(T value, unsigned rank) const {
    return moved(value, self().lane_of(rank % size()));
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank() + delta;
    return moved(value, rank < size() ? self().lane_of(rank) : lane());
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return moved(value, rank >= delta ? self().lane_of(rank - delta) : lane());
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned bits) const {
    const unsigned rank = thread_rank() ^ bits;
    return moved(value, rank < size() ? self().lane_of(rank) : lane());
  }
  __device__ int any(int predicate) const { return __ballot_sync(mask(), predicate) != 0; }
  __device__ int all(int predicate) const { return __ballot_sync(mask(), predicate) == mask(); }
  __device__ unsigned ballot(int predicate) const {
    return packed(__ballot_sync(mask(), predicate));
  }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return packed(__match_any_sync(mask(), value));
  }
  template <class T>
  __device__ unsigned match_all(T value, int& all) const {
    return packed(__match_all_sync(mask(), value, &all));
  }

 protected:
  // Any trivially copyable type, 4 bytes at a time.
  template <class T>
  __device__ T moved(T value, unsigned from) const {
    constexpr int kWords = (sizeof(T) + 3) / 4;
    unsigned words[kWords] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (int i = 0; i < kWords; ++i)
      words[i] = __shfl_sync(mask(), words[i], from);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }

 private:
  __device__ const Derived& self() const { return static_cast<const Derived&>(*this); }
  __device__ unsigned mask() const { return self().mask(); }

  // Bits of lanes to bits of ranks.
  __device__ unsigned packed(unsigned lanes) const {
    const unsigned members = mask();
    unsigned result = 0, rank = 0;
    for (unsigned rest = members; rest != 0; rest &= rest - 1, ++rank)
      if (lanes & (rest & -rest)) result |= 1u << rank;
    return result;
  }
};

}  // namespace details

class coalesced_group : public details::LaneGroup<coalesced_group> {
 public:
  __device__ explicit coalesced_group(unsigned mask, unsigned groups = 1, unsigned rank = 0)
      : mask_(mask), groups_(groups), rank_(rank) {}
  __device__ unsigned mask() const { return mask_; }
  __device__ unsigned lane_of(unsigned rank) const {
    return __fns(mask_, 0, static_cast<int>(rank) + 1);
  }
  __device__ unsigned meta_group_size() const { return groups_; }
  __device__ unsigned meta_group_rank() const { return rank_; }

 private:
  unsigned mask_, groups_, rank_;
};
__device__ inline coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

}  // namespace cooperative_groups
