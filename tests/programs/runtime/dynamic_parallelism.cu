// Kernels that launch kernels: quicksort by recursion, arguments of all kinds, the order of streams, and
// launches that are refused.
#include <algorithm>
#include <vector>

#include "check.h"

__global__ void selection_sort(int* data, int first, int last) {
  for (int i = first; i < last; ++i) {
    int least = i;
    for (int j = i + 1; j < last; ++j) {
      if (data[j] < data[least]) least = j;
    }
    const int value = data[i];
    data[i] = data[least];
    data[least] = value;
  }
}

__device__ void sort_in_a_stream(int* data, int first, int last, int depth);

__global__ void quicksort(int* data, int first, int last, int depth) {
  if (depth == 16 || last - first <= 32) {
    selection_sort<<<1, 1>>>(data, first, last);
    return;
  }
  int left = first, right = last - 1;
  const int pivot = data[(left + right) / 2];
  while (left <= right) {
    while (data[left] < pivot)
      ++left;
    while (data[right] > pivot)
      --right;
    if (left > right) break;
    const int value = data[left];
    data[left++] = data[right];
    data[right--] = value;
  }
  sort_in_a_stream(data, first, right + 1, depth + 1);
  sort_in_a_stream(data, left, last, depth + 1);
}

__device__ void sort_in_a_stream(int* data, int first, int last, int depth) {
  if (last - first < 2) return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  quicksort<<<1, 1, 0, stream>>>(data, first, last, depth);
  cudaStreamDestroy(stream);
}

struct Mixed {
  double values[3];
  char small;
  short middle;
};

// Every thread of the parent launches a grid with arguments, and shared memory, of its own.
__global__ void use(Mixed mixed, int* out, char letter) {
  extern __shared__ char mirror[];
  mirror[threadIdx.x] = static_cast<char>(letter + threadIdx.x);
  __syncthreads();
  out[blockIdx.y * blockDim.x + threadIdx.x] =
      static_cast<int>(mixed.values[2]) + mixed.small + mixed.middle + mirror[blockDim.x - 1 - threadIdx.x];
}

__global__ void use_by_every_thread(int* out) {
  const Mixed mixed = {{0, 0, 100.0 * threadIdx.x}, 7, -5};
  use<<<dim3(1, 2), 4, 4>>>(mixed, out + threadIdx.x * 8, static_cast<char>(threadIdx.x));
}

__global__ void note(int* log, int value) {
  log[1 + log[0]] = value;
  ++log[0];
}

// Launches of a block into one stream run one after the other; a tail launch after the parent and all others.
__global__ void in_order(int* log) {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 10);
  note<<<1, 1>>>(log, 1);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 11);
  note<<<1, 1>>>(log, 2);
}

// Handles are values like others, wherever they are kept.
__global__ void handles(int* log, cudaStream_t* kept) {
  __shared__ cudaStream_t shared;
  cudaStream_t local = nullptr, *everywhere[] = {&local, &shared, kept};
  for (cudaStream_t* stream : everywhere) {
    if (cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking) == cudaSuccess && *stream != nullptr)
      note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 7);
  }
}

__global__ void too_many_threads(int* out) {
  note<<<1, 2048>>>(out, 0);
  out[0] = cudaPeekAtLastError() != cudaSuccess;
  out[1] = cudaGetLastError() != cudaSuccess;
  out[2] = cudaGetLastError();
}

int main() {
  constexpr int kCount = 2000;
  std::vector<int> numbers(kCount);
  unsigned state = 1;
  for (int& number : numbers)
    number = static_cast<int>((state = state * 1664525u + 1013904223u) >> 12);
  int* data = device_array<int>(kCount);
  to_device(data, numbers.data(), kCount);
  quicksort<<<1, 1>>>(data, 0, kCount, 0);
  finish("quicksort");
  std::vector<int> sorted(kCount);
  to_host(sorted.data(), data, kCount);
  std::sort(numbers.begin(), numbers.end());
  std::printf("quicksort: %s\n", sorted == numbers ? "sorted" : "not sorted");

  use_by_every_thread<<<1, 32>>>(data);
  finish("use");
  to_host(sorted.data(), data, 256);
  int wrong = 0;
  for (int i = 0; i < 256; ++i)
    wrong += sorted[i] != i / 8 * 101 + 2 + 3 - i % 4;
  std::printf("arguments: %d wrong\n", wrong);

  check(cudaMemset(data, 0, 5 * sizeof(int)), "clear");
  in_order<<<1, 1>>>(data);
  finish("in_order");
  to_host(sorted.data(), data, 5);
  std::printf("order: %d launches, %d %d", sorted[0], sorted[1], sorted[2]);
  std::printf(", then %d %d\n", sorted[3], sorted[4]);

  check(cudaMemset(data, 0, sizeof(int)), "clear");
  handles<<<1, 1>>>(data, device_array<cudaStream_t>(1));
  finish("handles");
  to_host(sorted.data(), data, 1);
  std::printf("handles: %d\n", sorted[0]);

  too_many_threads<<<1, 1>>>(data);
  finish("too_many_threads");
  to_host(sorted.data(), data, 3);
  std::printf("refused: %d, told once: %d, then %d\n", sorted[0], sorted[1], sorted[2]);
}
