// All-reduce of any size, float32 and bf16: the choice between one shot and two.
//
// Rung 4 is fast for small messages, rung 5 for larger ones. A library must be fast for all of
// them, from one element to gigabytes. This rung puts both together, for both types:
//
//     one shot     a packet has two words: two floats, or four bf16
//     two shots    a thread loads 16 bytes of a vector: 4 floats, or 8 bf16
//
// bf16 is added in float32 and rounded once: Sums does that.
//
// A large message must keep all links busy all the time, in both directions: every rank exchanges
// data with all others at once, which rung 5 does. But a thread of rung 5 has one vector of each
// rank in flight. By Little's law a link of 400 GB/s with a latency of 2 us needs 800 KB in flight:
// load kUnroll vectors of each rank before you add the first one.
//
// The size at which to change is yours to find. On paper: one shot costs alpha + 2 (count - 1) n
// beta, two shots about 3 alpha + 2 (count - 1) / count n beta; chapter 11 has both. The grade on
// the virtual GPU requires one shot at 16 KiB and two at 256 KiB, on four ranks.
//
//     ./ridge grade 11-collectives/6-past-the-library
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
    // TODO (about 13 lines): own.words to the place_of this rank at all other ranks; then add the
    // elements of all ranks' packets to Sums, in the order of the ranks; store_data of the result.
  }
}

// ---- two shots: each rank adds a part of the message, and stores the sums to all ----

// The sums of kCount vectors, first, first + step, ...: all loads before the first addition.
template <typename T, int kCount>
__device__ void reduce_and_send(const Ranks& ranks, int rank, long long first, int step) {
  // TODO (about 22 lines): load kCount vectors of each rank (load_vector of ranks.inputs[from] at
  // first + j * step), add them in the order of the ranks, and store the rounded sums to all
  // outputs. All loops unrolled, so that the arrays are registers and the loads come before the
  // first addition.
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
    // TODO (about 11 lines): launch one_shot<T> with a thread per packet (256 per block), or
    // two_shot<T> with kThreads and kUnroll vectors of a part per thread; at most kMostBlocks.
  }
}

}  // namespace

extern "C" void all_reduce_any(Ranks ranks, int n, int bytes) {
  if (bytes == 4)
    all_reduce_of<float>(ranks, n);
  else
    all_reduce_of<__nv_bfloat16>(ranks, n);
}
