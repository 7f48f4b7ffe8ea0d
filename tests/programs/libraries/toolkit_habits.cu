// Habits of CUB, thrust and nvcc that look like mistakes and are none: merges that look past a tile's end before they ask
// whether there is anything, a slot into which all lanes drop what nobody will read, and structs copied with their padding.
#include <thrust/device_vector.h>
#include <thrust/set_operations.h>
#include <thrust/tabulate.h>
#include <thrust/unique.h>

#include <cub/device/device_run_length_encode.cuh>

#include <vector>

#include "check.h"

struct Times {
  int factor;
  __host__ __device__ int operator()(int i) const { return i * factor; }
};

struct Padded {  // 4 bytes of padding in the middle, 7 at the end
  int key;
  double weight;
  char tag;
};
struct Numbered {
  __host__ __device__ Padded operator()(int i) const { return {i, static_cast<double>(i / 2), 'a'}; }
};
struct SameWeight {
  __host__ __device__ bool operator()(const Padded& a, const Padded& b) const { return a.weight == b.weight; }
};

// Members are written one by one, elements read whole.
__global__ void reverse_in_shared(Padded* out) {
  __shared__ Padded tile[64];
  tile[threadIdx.x].key = threadIdx.x;
  tile[threadIdx.x].weight = threadIdx.x * 0.5;
  tile[threadIdx.x].tag = 'b';
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  thrust::device_vector<int> twos(3000), threes(4000), result(7000);
  thrust::tabulate(twos.begin(), twos.end(), Times{2});
  thrust::tabulate(threes.begin(), threes.end(), Times{3});
  const auto all = [&](auto operation) {
    return static_cast<int>(
        operation(twos.begin(), twos.end(), threes.begin(), threes.end(), result.begin()) - result.begin());
  };
  std::printf("both %d, ", all([](auto... a) { return thrust::set_intersection(a...); }));
  std::printf("either %d, ", all([](auto... a) { return thrust::set_union(a...); }));
  std::printf("twos only %d, ", all([](auto... a) { return thrust::set_difference(a...); }));
  std::printf("one only %d\n", all([](auto... a) { return thrust::set_symmetric_difference(a...); }));

  constexpr int kCount = 30000;  // runs of 1, 2, 1, 2, ...
  std::vector<int> values;
  for (int run = 0; static_cast<int>(values.size()) < kCount; ++run) values.insert(values.end(), 1 + run % 2, run);
  thrust::device_vector<int> items(values.begin(), values.begin() + kCount), offsets(kCount), lengths(kCount), runs(1);
  const auto encode = [&](void* scratch, size_t& bytes) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(scratch, bytes, items.begin(), offsets.begin(), lengths.begin(),
                                                      runs.begin(), kCount);
  };
  size_t bytes = 0;
  check(encode(nullptr, bytes), "bytes");
  thrust::device_vector<char> scratch(bytes);
  check(encode(thrust::raw_pointer_cast(scratch.data()), bytes), "runs");
  finish("runs");
  const int last = static_cast<int>(runs[0]) - 1;
  std::printf("runs of more than one: %d, the last at %d, of %d\n", last + 1, static_cast<int>(offsets[last]),
              static_cast<int>(lengths[last]));

  thrust::device_vector<Padded> elements(5000);
  thrust::tabulate(elements.begin(), elements.end(), Numbered());
  const auto end = thrust::unique(elements.begin(), elements.end(), SameWeight());
  const Padded kept = elements[1000];
  std::printf("distinct weights: %d, element 1000 has key %d\n", static_cast<int>(end - elements.begin()), kept.key);

  reverse_in_shared<<<1, 64>>>(thrust::raw_pointer_cast(elements.data()));
  finish("reverse_in_shared");
  const Padded first = elements[0];
  std::printf("reversed: %d %.1f %c\n", first.key, first.weight, first.tag);
}
