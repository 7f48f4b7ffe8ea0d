// CUB: DeviceSelect. The selected items, in their order, and their number.
#pragma once

#include "cub/detail/one_block.cuh"

namespace cub {
namespace detail {

template <class Op>
struct KeepIf {
  Op op;
  template <class In>
  __device__ bool operator()(const In& in, long long i) {
    return op(in[i]);
  }
};
template <class Flags>
struct KeepFlagged {
  Flags flags;
  template <class In>
  __device__ bool operator()(const In&, long long i) {
    return static_cast<bool>(flags[i]);
  }
};

// places: one per thread, and the number of selected items after them.
template <class In, class Out, class Count, class Keep>
__global__ __launch_bounds__(kThreads) void select_items(In in, Out out, Count selected, Keep keep,
                                                         long long n, long long* places) {
  const Chunk chunk = own_chunk(n);
  long long count = 0;
  for (long long i = chunk.begin; i < chunk.end; ++i)
    count += keep(in, i);
  places[threadIdx.x] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    long long total = 0;
    for (int i = 0; i < kThreads; ++i) {
      const long long own = places[i];
      places[i] = total;
      total += own;
    }
    places[kThreads] = total;
    *selected = static_cast<ValueOr<Count, long long>>(total);
  }
  __syncthreads();
  long long place = places[threadIdx.x];
  for (long long i = chunk.begin; i < chunk.end; ++i)
    if (keep(in, i)) out[place++] = in[i];
}

template <class In, class Out>
__global__ __launch_bounds__(kThreads) void copy_items(In in, Out out, const long long* count) {
  for (long long i = threadIdx.x; i < *count; i += kThreads)
    out[i] = in[i];
}

template <class In, class Out, class Count, class Keep>
cudaError_t select(void* storage, size_t& bytes, In in, Out out, Count selected, long long n,
                   Keep keep, cudaStream_t stream) {
  Storage arrays(storage, bytes);
  auto* const places = arrays.array<long long>(kThreads + 1);
  cudaError_t status;
  if (arrays.ends_call(status)) return status;
  select_items<<<1, kThreads, 0, stream>>>(in, out, selected, keep, n, places);
  return cudaPeekAtLastError();
}

// A thread may write where another has yet to read: the items are collected elsewhere.
template <class Data, class Count, class Keep>
cudaError_t select_in_place(void* storage, size_t& bytes, Data data, Count selected, long long n,
                            Keep keep, cudaStream_t stream) {
  Storage arrays(storage, bytes);
  auto* const places = arrays.array<long long>(kThreads + 1);
  auto* const items = arrays.array<ValueOf<Data>>(n);
  cudaError_t status;
  if (arrays.ends_call(status)) return status;
  select_items<<<1, kThreads, 0, stream>>>(data, items, selected, keep, n, places);
  copy_items<<<1, kThreads, 0, stream>>>(items, data, places + kThreads);
  return cudaPeekAtLastError();
}

}  // namespace detail

struct DeviceSelect {
  template <class In, class Out, class Count, class Op, class N, detail::IfCount<N> = 0>
  static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                        Count d_num_selected_out, N num_items, Op select_op,
                        cudaStream_t stream = nullptr) {
    return detail::select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out,
                          num_items, detail::KeepIf<Op>{select_op}, stream);
  }
  template <class Data, class Count, class Op, class N, detail::IfCount<N> = 0>
  static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, Data d_data,
                        Count d_num_selected_out, N num_items, Op select_op,
                        cudaStream_t stream = nullptr) {
    return detail::select_in_place(d_temp_storage, temp_storage_bytes, d_data, d_num_selected_out,
                                   num_items, detail::KeepIf<Op>{select_op}, stream);
  }

  template <class In, class Flags, class Out, class Count, class N, detail::IfCount<N> = 0>
  static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                             Flags d_flags, Out d_out, Count d_num_selected_out, N num_items,
                             cudaStream_t stream = nullptr) {
    return detail::select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out,
                          num_items, detail::KeepFlagged<Flags>{d_flags}, stream);
  }
  template <class Data, class Flags, class Count, class N, detail::IfCount<N> = 0>
  static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, Data d_data,
                             Flags d_flags, Count d_num_selected_out, N num_items,
                             cudaStream_t stream = nullptr) {
    return detail::select_in_place(d_temp_storage, temp_storage_bytes, d_data, d_num_selected_out,
                                   num_items, detail::KeepFlagged<Flags>{d_flags}, stream);
  }
};

}  // namespace cub
