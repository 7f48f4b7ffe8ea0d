// Lab 11, rung 6: messages of float or bf16, in pieces of 16 bytes and of 8.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "packets.h"

// 16 bytes of a message: 4 floats or 8 bf16.
template <typename T>
struct alignas(16) Vector {
  static constexpr int kLength = 16 / sizeof(T);
  T element[kLength];
};

// Vector i of a message, which is loaded once and need not stay in a cache.
template <typename T>
__device__ Vector<T> load_vector(const float* message, long long i) {
  const uint4 bits = __ldcs(reinterpret_cast<const uint4*>(message) + i);
  return *reinterpret_cast<const Vector<T>*>(&bits);
}

// The data of a packet: 2 floats or 4 bf16.
template <typename T>
union PacketData {
  static constexpr int kLength = 8 / sizeof(T);
  float2 words = {};
  T element[kLength];
};

// Elements of packet p of a message of n; zeros behind the end.
template <typename T>
__device__ PacketData<T> load_data(const float* message, int p, int n) {
  constexpr int kLength = PacketData<T>::kLength;
  PacketData<T> data;
  if ((p + 1) * kLength <= n)
    data.words = reinterpret_cast<const float2*>(message)[p];
  else
    for (int i = 0; p * kLength + i < n; ++i)
      data.element[i] = reinterpret_cast<const T*>(message)[p * kLength + i];
  return data;
}
template <typename T>
__device__ void store_data(float* message, int p, int n, const PacketData<T>& data) {
  constexpr int kLength = PacketData<T>::kLength;
  if ((p + 1) * kLength <= n)
    reinterpret_cast<float2*>(message)[p] = data.words;
  else
    for (int i = 0; p * kLength + i < n; ++i)
      reinterpret_cast<T*>(message)[p * kLength + i] = data.element[i];
}

__device__ inline float2 wait_for_packet(const Packet* packet) {
  Packet got;
  do {
    got = load_packet(packet);
  } while (got.first_flag == 0 || got.second_flag == 0);
  return {got.first, got.second};
}

// Sums of kLength elements, in float32.
template <typename T, int kLength>
struct Sums {
  float sum[kLength] = {};
  __device__ void add(const T* elements) {
#pragma unroll
    for (int i = 0; i < kLength; ++i)
      sum[i] += static_cast<float>(elements[i]);
  }
  __device__ void round_to(T* elements) const {
#pragma unroll
    for (int i = 0; i < kLength; ++i)
      elements[i] = static_cast<T>(sum[i]);
  }
};
