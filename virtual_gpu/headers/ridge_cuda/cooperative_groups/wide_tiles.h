// Tiles of more than a warp: threads [k size, (k + 1) size) of a block. They exchange values through the memory that
// the kernel gave this_thread_block, 8 bytes per thread, and wait at the block's barriers 1 to 15.
#pragma once

namespace cooperative_groups {
namespace details {

template <unsigned kSize>
class WideTile {
  static_assert(kSize <= 1024 && (kSize & (kSize - 1)) == 0, "tiles of 64, 128, ... 1024 threads");

 public:
  __device__ WideTile(unsigned groups, unsigned rank, char* memory)
      : groups_(groups), rank_(rank), memory_(memory) {}
  __device__ void sync() const {
    asm volatile("barrier.sync %0, %1;" ::"r"(1 + rank_ % 15), "n"(kSize) : "memory");
  }
  static __device__ constexpr unsigned size() { return kSize; }
  static __device__ constexpr unsigned num_threads() { return kSize; }
  static __device__ unsigned thread_rank() { return block_rank_of_thread() % kSize; }
  __device__ unsigned meta_group_size() const { return groups_; }
  __device__ unsigned meta_group_rank() const { return rank_; }

  template <class T>
  __device__ T shfl(T value, unsigned rank) const {
    static_assert(sizeof(T) <= 8, "8 bytes per thread");
    __builtin_memcpy(place(thread_rank()), &value, sizeof value);
    sync();
    T result;
    __builtin_memcpy(&result, place(rank % kSize), sizeof result);
    sync();
    return result;
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    const unsigned from = thread_rank() + delta;
    return shfl(value, from < kSize ? from : thread_rank());
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned bits) const {
    return shfl(value, thread_rank() ^ bits);
  }
  __device__ int any(int predicate) const {
    const unsigned votes = __ballot_sync(0xffffffffu, predicate);
    bool found = false;
    for (unsigned warp = 0; warp < kSize; warp += 32)
      found |= shfl(votes, warp) != 0;
    return found;
  }
  __device__ int all(int predicate) const { return !any(!predicate); }

 private:
  __device__ char* place(unsigned rank) const { return memory_ + 8 * (rank_ * kSize + rank); }

  unsigned groups_, rank_;
  char* memory_;
};

}  // namespace details

#define RIDGE_WIDE_TILE(count)                                                     \
  template <class Parent>                                                          \
  class thread_block_tile<count, Parent> : public details::WideTile<count> {       \
   public:                                                                         \
    using details::WideTile<count>::WideTile;                                      \
  };                                                                               \
  template <>                                                                      \
  __device__ inline thread_block_tile<count, thread_block> tiled_partition<count>( \
      const thread_block& block) {                                                 \
    return {block.size() / count, block.thread_rank() / count, block.memory()};    \
  }
RIDGE_WIDE_TILE(64)
RIDGE_WIDE_TILE(128)
RIDGE_WIDE_TILE(256)
RIDGE_WIDE_TILE(512)
RIDGE_WIDE_TILE(1024)
#undef RIDGE_WIDE_TILE

}  // namespace cooperative_groups
