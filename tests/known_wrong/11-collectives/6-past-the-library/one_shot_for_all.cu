// expect: SLOW
// finding: slow.gate
// One shot for every message.
#include "elements.h"
#include "ranks.h"

namespace {

constexpr int kThreads = 512;
constexpr int kMostBlocks = 128;          // with a signal per rank
constexpr int kOneShotBytes = 128 << 10;  // up to so many bytes to others, flags aside: one shot
constexpr int kUnroll = 2;                // vectors per thread and iteration

// ---- one shot: packets of two words, each of a float or two bf16 ----

__device__ Packet* place_of(const Ranks& ranks, int to, int from, int packets) {
  return reinterpret_cast<Packet*>(room_of(ranks, to)) + static_cast<size_t>(from) * packets;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    one_shot(const __grid_constant__ Ranks ranks, int rank, int n) {
  constexpr int kLength = PacketData<T>::kLength;
  const int packets = (n + kLength - 1) / kLength;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < packets; p += gridDim.x * blockDim.x) {
    const PacketData<T> own = load_data<T>(ranks.inputs[rank], p, n);
    for (int step = 1; step < ranks.count; ++step) {
      const int other = (rank + step) % ranks.count;
      store_packet(place_of(ranks, other, rank, packets) + p, own.words);
    }
    Sums<T, kLength> sums;
    for (int from = 0; from < ranks.count; ++from) {  // the same order on every rank
      PacketData<T> data = own;
      if (from != rank) data.words = wait_for_packet(place_of(ranks, rank, from, packets) + p);
      sums.add(data.element);
    }
    PacketData<T> result;
    sums.round_to(result.element);
    store_data(ranks.outputs[rank], p, n, result);
  }
}

// ---- two shots: each rank adds a part of the message, and stores the sums to all ----

// The sums of kCount vectors, first, first + step, ...: all loads before the first addition.
template <typename T, int kCount>
__device__ void reduce_and_send(const Ranks& ranks, int rank, long long first, int step) {
  Sums<T, Vector<T>::kLength> sums[kCount];
#pragma unroll
  for (int pair = 0; pair < kMostRanks; pair += 2) {  // of two ranks at a time
    if (pair >= ranks.count) break;
    Vector<T> terms[2][kCount];
#pragma unroll
    for (int j = 0; j < 2 * kCount; ++j)
      if (pair + j / kCount < ranks.count)
        terms[j / kCount][j % kCount] =
            load_vector<T>(ranks.inputs[pair + j / kCount], first + j % kCount * step);
#pragma unroll
    for (int j = 0; j < 2 * kCount; ++j)
      if (pair + j / kCount < ranks.count)
        sums[j % kCount].add(terms[j / kCount][j % kCount].element);
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    Vector<T> result;
    sums[j].round_to(result.element);
#pragma unroll
    for (int other = 0; other < kMostRanks; ++other)
      if (other < ranks.count)
        reinterpret_cast<Vector<T>*>(ranks.outputs[other])[first + j * step] = result;
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    two_shot(const __grid_constant__ Ranks ranks, int rank, int n) {
  constexpr int kLength = Vector<T>::kLength;
  const int vectors = n / kLength, part = (vectors + ranks.count - 1) / ranks.count;
  const int begin = min(rank * part, vectors), end = min(begin + part, vectors);
  const int step = gridDim.x * blockDim.x;
  int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + (kUnroll - 1) * step < end; i += kUnroll * step)
    reduce_and_send<T, kUnroll>(ranks, rank, i, step);
  for (; i < end; i += step)
    reduce_and_send<T, 1>(ranks, rank, i, step);
  // The elements behind the last vector, by the last rank.
  if (const int e = vectors * kLength + threadIdx.x;
      rank == ranks.count - 1 && blockIdx.x == 0 && e < n) {
    Sums<T, 1> sum;
    for (int from = 0; from < ranks.count; ++from)
      sum.add(reinterpret_cast<const T*>(ranks.inputs[from]) + e);
    for (int other = 0; other < ranks.count; ++other)
      sum.round_to(reinterpret_cast<T*>(ranks.outputs[other]) + e);
  }
  __syncthreads();  // all threads have stored
  const int other = static_cast<int>(threadIdx.x), first = blockIdx.x * ranks.count;
  if (other < ranks.count) {
    set_signal(ranks.signals[other] + first + rank, 1);
    while (get_signal(ranks.signals[rank] + first + other) == 0) {
    }
  }
}

template <typename T>
void all_reduce_of(const Ranks& ranks, int n) {
  const long long bytes = static_cast<long long>(n) * sizeof(T);
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    if (true) {
      const int packets = static_cast<int>((bytes + 7) / 8);
      one_shot<T><<<min((packets + 255) / 256, kMostBlocks), 256, 0, ranks.streams[rank]>>>(
          ranks, rank, n);
    } else {
      constexpr int kPerBlock = kThreads * kUnroll;
      const int vectors = static_cast<int>(bytes / 16 / ranks.count) + 1;
      const int blocks = min((vectors + kPerBlock - 1) / kPerBlock, kMostBlocks);
      two_shot<T><<<blocks, kThreads, 0, ranks.streams[rank]>>>(ranks, rank, n);
    }
  }
}

}  // namespace

extern "C" void all_reduce_any(Ranks ranks, int n, int bytes) {
  if (bytes == 4)
    all_reduce_of<float>(ranks, n);
  else
    all_reduce_of<__nv_bfloat16>(ranks, n);
}
