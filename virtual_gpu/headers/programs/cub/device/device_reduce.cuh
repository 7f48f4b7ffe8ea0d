// CUB: DeviceReduce. The last bits of sums of floats differ from CUB's, whose order of additions is
// not documented.
#pragma once

#include <limits>

#include "cub/detail/one_block.cuh"

namespace cub {
namespace detail {

struct Minimum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

// sums: one per thread.
template <class Accum, class In, class Out, class Op, class Init>
__global__ __launch_bounds__(kThreads) void reduce_items(In in, Out out, Op op, Init init,
                                                         long long n, Accum* sums) {
  const Chunk chunk = own_chunk(n);
  if (!chunk.empty()) {
    Accum sum = in[chunk.begin];
    for (long long i = chunk.begin + 1; i < chunk.end; ++i)
      sum = op(sum, in[i]);
    sums[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  Accum total = init;
  for (int i = 0; i < chunks_in(n); ++i)
    total = op(total, sums[i]);
  *out = total;
}

}  // namespace detail

struct DeviceReduce {
  template <class In, class Out, class Op, class Init, class N, detail::IfCount<N> = 0>
  static cudaError_t Reduce(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                            N num_items, Op reduction_op, Init init,
                            cudaStream_t stream = nullptr) {
    using Accum = detail::Sum<Op, detail::ValueOf<In>, Init>;
    detail::Storage arrays(d_temp_storage, temp_storage_bytes);
    Accum* const sums = arrays.array<Accum>(detail::kThreads);
    cudaError_t status;
    if (arrays.ends_call(status)) return status;
    detail::reduce_items<Accum>
        <<<1, detail::kThreads, 0, stream>>>(d_in, d_out, reduction_op, init, num_items, sums);
    return cudaPeekAtLastError();
  }

  template <class In, class Out, class N, detail::IfCount<N> = 0>
  static cudaError_t Sum(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         N num_items, cudaStream_t stream = nullptr) {
    return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, detail::Plus(),
                  detail::ValueOr<Out, detail::ValueOf<In>>(), stream);
  }

  // Without items the result is the largest value of the type.
  template <class In, class Out, class N, detail::IfCount<N> = 0>
  static cudaError_t Min(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         N num_items, cudaStream_t stream = nullptr) {
    return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, detail::Minimum(),
                  limits<In>::max(), stream);
  }

  // Without items the result is the lowest value of the type.
  template <class In, class Out, class N, detail::IfCount<N> = 0>
  static cudaError_t Max(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         N num_items, cudaStream_t stream = nullptr) {
    return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, detail::Maximum(),
                  limits<In>::lowest(), stream);
  }

 private:
  template <class In>
  struct limits : std::numeric_limits<detail::ValueOf<In>> {
    static_assert(std::numeric_limits<detail::ValueOf<In>>::is_specialized,
                  "DeviceReduce::Min and Max are for the types that numeric_limits knows");
  };
};

}  // namespace cub
