// Tiles of a block or a warp, and parts by label or predicate.
#pragma once

namespace cooperative_groups {

// Up to a warp: lanes [k size, (k + 1) size).
template <unsigned kSize, class Parent = void>
class thread_block_tile : public details::LaneGroup<thread_block_tile<kSize, Parent>> {
  static_assert(kSize <= 32 && (kSize & (kSize - 1)) == 0, "tiles of 1, 2, 4, ... 32 threads");

 public:
  __device__ thread_block_tile() = default;
  __device__ thread_block_tile(unsigned groups, unsigned rank) : groups_(groups), rank_(rank) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<kSize, Other>& other)
      : groups_(other.meta_group_size()), rank_(other.meta_group_rank()) {}
  __device__ unsigned mask() const {
    return kSize == 32 ? 0xffffffffu
                       : ((1u << (kSize % 32)) - 1) << (details::lane() / kSize * kSize);
  }
  __device__ unsigned lane_of(unsigned rank) const {
    return details::lane() / kSize * kSize + rank;
  }
  static __device__ constexpr unsigned size() { return kSize; }
  static __device__ constexpr unsigned num_threads() { return kSize; }
  static __device__ unsigned thread_rank() { return details::block_rank_of_thread() % kSize; }
  // The lanes of a tile are adjacent, so that the other lane is one instruction away.
  template <class T>
  __device__ T shfl_xor(T value, unsigned bits) const {
    return this->moved(value, bits < kSize ? details::lane() ^ bits : details::lane());
  }
  __device__ unsigned meta_group_size() const { return groups_; }
  __device__ unsigned meta_group_rank() const { return rank_; }

 private:
  unsigned groups_ = 1, rank_ = 0;
};

template <unsigned kSize>
__device__ thread_block_tile<kSize, thread_block> tiled_partition(const thread_block& block) {
  return {(block.size() + kSize - 1) / kSize, block.thread_rank() / kSize};
}
template <unsigned kSize, unsigned kParent, class Parent>
__device__ thread_block_tile<kSize, thread_block_tile<kParent, Parent>> tiled_partition(
    const thread_block_tile<kParent, Parent>& parent) {
  return {kParent / kSize, parent.thread_rank() / kSize};
}
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned begin = parent.thread_rank() / size * size;
  unsigned mask = 0;
  for (unsigned rank = begin; rank < begin + size && rank < parent.size(); ++rank)
    mask |= 1u << parent.lane_of(rank);
  return coalesced_group(mask, (parent.size() + size - 1) / size, begin / size);
}

// One group per label; groups are ranked by their first lane.
template <class Group, class Label>
__device__ coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned mine = __match_any_sync(group.mask(), label);
  const unsigned firsts = __ballot_sync(group.mask(), (mine & details::lanes_below()) == 0);
  const unsigned first = mine & (0u - mine);
  return coalesced_group(mine, __popc(firsts), __popc(firsts & (first - 1)));
}
template <class Group>
__device__ coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.mask(), predicate);
  return coalesced_group(predicate ? yes : group.mask() & ~yes, 2, predicate ? 1 : 0);
}

template <class Group, class Function, class... Arguments>
__device__ void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}

}  // namespace cooperative_groups
