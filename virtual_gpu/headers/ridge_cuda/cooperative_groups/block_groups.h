// The groups of whole blocks: a block, a cluster, a grid, and tiles of a block.
#pragma once

namespace cooperative_groups {

template <unsigned kThreads>
struct block_tile_memory {
  static constexpr unsigned kBytes = kThreads * 8;
  alignas(8) char bytes[kBytes];
};

namespace details {
__device__ inline unsigned block_size() {
  return blockDim.x * blockDim.y * blockDim.z;
}
__device__ inline unsigned block_rank_of_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
}  // namespace details

class thread_block {
 public:
  __device__ explicit thread_block(char* memory = nullptr) : memory_(memory) {}
  __device__ void sync() const { __syncthreads(); }
  static __device__ unsigned size() { return details::block_size(); }
  static __device__ unsigned num_threads() { return size(); }
  static __device__ unsigned thread_rank() { return details::block_rank_of_thread(); }
  static __device__ dim3 group_index() { return blockIdx; }
  static __device__ dim3 thread_index() { return threadIdx; }
  static __device__ dim3 group_dim() { return blockDim; }
  static __device__ dim3 dim_threads() { return blockDim; }
  __device__ char* memory() const { return memory_; }  // for tiles of more than a warp

 private:
  char* memory_;
};
__device__ inline thread_block this_thread_block() {
  return thread_block();
}
template <unsigned kThreads>
__device__ thread_block this_thread_block(block_tile_memory<kThreads>& memory) {
  return thread_block(memory.bytes);
}

class cluster_group {
 public:
  typedef unsigned arrival_token;
  __device__ void sync() const {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  __device__ arrival_token barrier_arrive() const {
    __cluster_barrier_arrive();
    return 0;
  }
  __device__ void barrier_wait() const { __cluster_barrier_wait(); }
  __device__ void barrier_wait(arrival_token&&) const { __cluster_barrier_wait(); }
  static __device__ unsigned block_rank() { return __clusterRelativeBlockRank(); }
  static __device__ unsigned num_blocks() { return __clusterSizeInBlocks(); }
  static __device__ dim3 dim_blocks() { return __clusterDim(); }
  static __device__ dim3 block_index() { return __clusterRelativeBlockIdx(); }
  static __device__ unsigned num_threads() { return num_blocks() * details::block_size(); }
  static __device__ unsigned size() { return num_threads(); }
  static __device__ unsigned thread_rank() {
    return block_rank() * details::block_size() + details::block_rank_of_thread();
  }
  template <class T>
  __device__ T* map_shared_rank(T* here, unsigned rank) const {
    return static_cast<T*>(__cluster_map_shared_rank(here, rank));
  }
  __device__ unsigned query_shared_rank(const void* there) const {
    return __cluster_query_shared_rank(there);
  }
};
__device__ inline cluster_group this_cluster() {
  return {};
}

namespace details {
// What the blocks of a cooperative launch count their arrivals in: the sign bit turns when all have arrived.
inline __device__ unsigned grid_arrivals;
}  // namespace details

class grid_group {
 public:
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const {
    __syncthreads();
    if (details::block_rank_of_thread() == 0) {
      const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
      const bool is_first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
      const unsigned step = is_first ? 0x80000000u - (blocks - 1) : 1;
      __threadfence();
      const unsigned before = atomicAdd(&details::grid_arrivals, step);
      while (((before ^ atomicAdd(&details::grid_arrivals, 0u)) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  static __device__ unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static __device__ unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static __device__ dim3 dim_blocks() { return gridDim; }
  static __device__ dim3 group_dim() { return gridDim; }
  static __device__ dim3 block_index() { return blockIdx; }
  static __device__ unsigned long long num_threads() {
    return num_blocks() * details::block_size();
  }
  static __device__ unsigned long long size() { return num_threads(); }
  static __device__ unsigned long long thread_rank() {
    return block_rank() * details::block_size() + details::block_rank_of_thread();
  }
};
__device__ inline grid_group this_grid() {
  return {};
}

template <class Group>
__device__ void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ auto thread_rank(const Group& group) {
  return group.thread_rank();
}

}  // namespace cooperative_groups
