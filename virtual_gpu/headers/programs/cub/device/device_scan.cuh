// CUB: DeviceScan. Sums and other scans, in place too; operators need not commute.
#pragma once

#include "cub/detail/one_block.cuh"

namespace cub {
namespace detail {

struct NoInit {};

// sums: one per thread. A thread reads an item before it writes that item, for scans in place.
template <bool kInclusive, class Accum, class In, class Out, class Op, class Init>
__global__ __launch_bounds__(kThreads) void scan_items(In in, Out out, Op op, Init init,
                                                       long long n, Accum* sums) {
  constexpr bool kHasInit = !std::is_same_v<Init, NoInit>;
  const Chunk chunk = own_chunk(n);
  if (!chunk.empty()) {
    Accum sum = in[chunk.begin];
    for (long long i = chunk.begin + 1; i < chunk.end; ++i)
      sum = op(sum, in[i]);
    sums[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    if constexpr (kHasInit) sums[0] = op(static_cast<Accum>(init), sums[0]);
    for (int i = 1; i < chunks_in(n); ++i)
      sums[i] = op(sums[i - 1], sums[i]);
  }
  __syncthreads();
  if (chunk.empty()) return;
  const auto scan_rest = [&](Accum sum, long long i) {
    for (; i < chunk.end; ++i) {
      const Accum with_item = op(sum, in[i]);
      out[i] = kInclusive ? with_item : sum;
      sum = with_item;
    }
  };
  if (threadIdx.x > 0) {
    scan_rest(sums[threadIdx.x - 1], chunk.begin);
  } else if constexpr (kHasInit) {
    scan_rest(init, 0);
  } else {
    const Accum first = in[0];
    out[0] = first;
    scan_rest(first, 1);
  }
}

template <bool kInclusive, class Accum, class In, class Out, class Op, class Init>
cudaError_t scan(void* storage, size_t& bytes, In in, Out out, Op op, Init init, long long n,
                 cudaStream_t stream) {
  Storage arrays(storage, bytes);
  Accum* const sums = arrays.array<Accum>(kThreads);
  cudaError_t status;
  if (arrays.ends_call(status) || n == 0) return status;
  scan_items<kInclusive, Accum><<<1, kThreads, 0, stream>>>(in, out, op, init, n, sums);
  return cudaPeekAtLastError();
}

}  // namespace detail

struct DeviceScan {
  template <class In, class Out, class N, detail::IfCount<N> = 0>
  static cudaError_t ExclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                  Out d_out, N num_items, cudaStream_t stream = nullptr) {
    return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out, detail::Plus(),
                         detail::ValueOf<In>(), num_items, stream);
  }
  template <class Data, class N, detail::IfCount<N> = 0>
  static cudaError_t ExclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Data d_data,
                                  N num_items, cudaStream_t stream = nullptr) {
    return ExclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
  }

  template <class In, class Out, class N, detail::IfCount<N> = 0>
  static cudaError_t InclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                  Out d_out, N num_items, cudaStream_t stream = nullptr) {
    return InclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out, detail::Plus(), num_items,
                         stream);
  }
  template <class Data, class N, detail::IfCount<N> = 0>
  static cudaError_t InclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Data d_data,
                                  N num_items, cudaStream_t stream = nullptr) {
    return InclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
  }

  template <class In, class Out, class Op, class Init, class N, detail::IfCount<N> = 0>
  static cudaError_t ExclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                   Out d_out, Op scan_op, Init init_value, N num_items,
                                   cudaStream_t stream = nullptr) {
    using Accum = detail::Sum<Op, detail::ValueOf<In>, Init>;
    return detail::scan<false, Accum>(d_temp_storage, temp_storage_bytes, d_in, d_out, scan_op,
                                      init_value, num_items, stream);
  }
  template <class Data, class Op, class Init, class N, detail::IfCount<N> = 0>
  static cudaError_t ExclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Data d_data,
                                   Op scan_op, Init init_value, N num_items,
                                   cudaStream_t stream = nullptr) {
    return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, init_value,
                         num_items, stream);
  }

  template <class In, class Out, class Op, class N, detail::IfCount<N> = 0>
  static cudaError_t InclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                   Out d_out, Op scan_op, N num_items,
                                   cudaStream_t stream = nullptr) {
    using Accum = detail::Sum<Op, detail::ValueOf<In>, detail::ValueOf<In>>;
    return detail::scan<true, Accum>(d_temp_storage, temp_storage_bytes, d_in, d_out, scan_op,
                                     detail::NoInit(), num_items, stream);
  }
  template <class Data, class Op, class N, detail::IfCount<N> = 0>
  static cudaError_t InclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Data d_data,
                                   Op scan_op, N num_items, cudaStream_t stream = nullptr) {
    return InclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, num_items,
                         stream);
  }
};

}  // namespace cub
