// CUB: DeviceRadixSort. Stable, by the bits from begin_bit up to end_bit of integers and floats.
#pragma once

#include "cub/detail/radix_passes.cuh"
#include "cub/util_type.cuh"

namespace cub {

struct DeviceRadixSort {
  template <class Key, class N>
  static cudaError_t SortKeys(void* d_temp_storage, size_t& temp_storage_bytes,
                              const Key* d_keys_in, Key* d_keys_out, N num_items, int begin_bit = 0,
                              int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {
    return detail::radix_sort<Key, detail::NoValue>(d_temp_storage, temp_storage_bytes, d_keys_in,
                                                    d_keys_out, nullptr, nullptr, num_items,
                                                    begin_bit, end_bit, false, stream);
  }
  template <class Key, class N>
  static cudaError_t SortKeys(void* d_temp_storage, size_t& temp_storage_bytes,
                              DoubleBuffer<Key>& d_keys, N num_items, int begin_bit = 0,
                              int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {
    const cudaError_t status = SortKeys(d_temp_storage, temp_storage_bytes, d_keys.Current(),
                                        d_keys.Alternate(), num_items, begin_bit, end_bit, stream);
    if (d_temp_storage != nullptr && status == cudaSuccess) d_keys.selector ^= 1;
    return status;
  }

  template <class Key, class Value, class N>
  static cudaError_t SortPairs(void* d_temp_storage, size_t& temp_storage_bytes,
                               const Key* d_keys_in, Key* d_keys_out, const Value* d_values_in,
                               Value* d_values_out, N num_items, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out,
                              d_values_in, d_values_out, num_items, begin_bit, end_bit, false,
                              stream);
  }
  template <class Key, class Value, class N>
  static cudaError_t SortPairs(void* d_temp_storage, size_t& temp_storage_bytes,
                               DoubleBuffer<Key>& d_keys, DoubleBuffer<Value>& d_values,
                               N num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = nullptr) {
    const cudaError_t status =
        SortPairs(d_temp_storage, temp_storage_bytes, d_keys.Current(), d_keys.Alternate(),
                  d_values.Current(), d_values.Alternate(), num_items, begin_bit, end_bit, stream);
    if (d_temp_storage != nullptr && status == cudaSuccess) {
      d_keys.selector ^= 1;
      d_values.selector ^= 1;
    }
    return status;
  }

  template <class Key, class N>
  static cudaError_t SortKeysDescending(void* d_temp_storage, size_t& temp_storage_bytes,
                                        const Key* d_keys_in, Key* d_keys_out, N num_items,
                                        int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                        cudaStream_t stream = nullptr) {
    return detail::radix_sort<Key, detail::NoValue>(d_temp_storage, temp_storage_bytes, d_keys_in,
                                                    d_keys_out, nullptr, nullptr, num_items,
                                                    begin_bit, end_bit, true, stream);
  }
  template <class Key, class N>
  static cudaError_t SortKeysDescending(void* d_temp_storage, size_t& temp_storage_bytes,
                                        DoubleBuffer<Key>& d_keys, N num_items, int begin_bit = 0,
                                        int end_bit = sizeof(Key) * 8,
                                        cudaStream_t stream = nullptr) {
    const cudaError_t status =
        SortKeysDescending(d_temp_storage, temp_storage_bytes, d_keys.Current(), d_keys.Alternate(),
                           num_items, begin_bit, end_bit, stream);
    if (d_temp_storage != nullptr && status == cudaSuccess) d_keys.selector ^= 1;
    return status;
  }

  template <class Key, class Value, class N>
  static cudaError_t SortPairsDescending(void* d_temp_storage, size_t& temp_storage_bytes,
                                         const Key* d_keys_in, Key* d_keys_out,
                                         const Value* d_values_in, Value* d_values_out, N num_items,
                                         int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                         cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out,
                              d_values_in, d_values_out, num_items, begin_bit, end_bit, true,
                              stream);
  }
  template <class Key, class Value, class N>
  static cudaError_t SortPairsDescending(void* d_temp_storage, size_t& temp_storage_bytes,
                                         DoubleBuffer<Key>& d_keys, DoubleBuffer<Value>& d_values,
                                         N num_items, int begin_bit = 0,
                                         int end_bit = sizeof(Key) * 8,
                                         cudaStream_t stream = nullptr) {
    const cudaError_t status = SortPairsDescending(
        d_temp_storage, temp_storage_bytes, d_keys.Current(), d_keys.Alternate(),
        d_values.Current(), d_values.Alternate(), num_items, begin_bit, end_bit, stream);
    if (d_temp_storage != nullptr && status == cudaSuccess) {
      d_keys.selector ^= 1;
      d_values.selector ^= 1;
    }
    return status;
  }
};

}  // namespace cub
