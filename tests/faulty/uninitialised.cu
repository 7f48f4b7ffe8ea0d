// Values that nobody wrote, reported where they are used: stored as a result, taken as an index, or branched on.
#include "faulty.h"

// case malloc_without_memset: uninitialised
__global__ void accumulate(const float* in, float* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] += in[i];  // <- malloc_without_memset
}

// case tile_edge_not_filled: uninitialised
// cause tile_edge_not_filled: shared_unwritten
// says tile_edge_not_filled: of the __shared__ array `s` (1024 bytes, elements of 4 counted), which was computed at 
template <bool kFixed>
__global__ void tile_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n)
    s[t] = in[i];
  else if (kFixed)
    s[t] = 0;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];  // <- tile_edge_not_filled
}

// case cp_async_without_wait: race
template <bool kFixed>
__global__ void copied(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[t]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  if (kFixed) asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[t] = s[255 - t] * 2;  // <- cp_async_without_wait
}

// case index_never_written: uninitialised
__global__ void gather(const int* index, const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = in[index[i]];  // <- index_never_written
}

// case branch_on_undefined: uninitialised
__global__ void filtered(const int* keep, const float* in, float* out) {
  const int i = threadIdx.x;
  if (keep[i] > 3)  // <- branch_on_undefined
    for (int k = 0; k < 4; ++k) atomicAdd(&out[(i + k) % 64], in[i]);
}

// True or anything is true, so the compiler may look at the element before it knows that there is one.
// case either_is_undefined: uninitialised
__global__ void either(const int* a, int* out, int count) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i < count) tile[i] = a[i];
  __syncthreads();
  int taken;
  asm volatile(  // <- either_is_undefined, by clang
      "{\n.reg .pred p, q;\n"
      "setp.lt.s32 p, %1, 100;\nsetp.ge.s32 q, %2, 32;\nor.pred p, p, q;\n"
      "mov.s32 %0, 0;\n@p mov.s32 %0, 1;\n}"
      : "=r"(taken)
      : "r"(tile[i]), "r"(i));  // <- either_is_undefined
  out[i] = taken;
}

// case histogram_not_cleared: uninitialised
template <bool kFixed>
__global__ void histogram(const int* in, int* out) {
  __shared__ int bins[61];
  const int t = threadIdx.x;
  if (kFixed && t < 61) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t]], 1);  // <- histogram_not_cleared
  __syncthreads();
  if (t < 61) out[t] = bins[t];
}

// case output_read_by_next_kernel: uninitialised
__global__ void first_half(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = static_cast<float>(i);
}
__global__ void squares(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * a[i];  // <- output_read_by_next_kernel
}

// case structs_not_written: uninitialised
struct Padded {
  int key;  // and 4 bytes that nobody writes: copied with the rest, they are no mistake
  double weight;
};
template <bool kFixed>
__global__ void reversed(Padded* out) {
  __shared__ Padded tile[64];
  if (kFixed || threadIdx.x < 60) {
    tile[threadIdx.x].key = threadIdx.x;
    tile[threadIdx.x].weight = 1;
  }
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // <- structs_not_written
}

// The array that nobody wrote is named, not the tile that its values pass through.
// case through_a_tile: uninitialised
// cause through_a_tile: global_unwritten
// says through_a_tile: from element 0 of the array passed as parameter 1
__global__ void through_tile(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x] + 1;  // <- through_a_tile
}

// case sum_without_a_start: uninitialised
// cause sum_without_a_start: variable_unset
// says sum_without_a_start: a value computed from a local variable that has no value yet
template <bool kFixed>
__global__ void row_sums(const float* in, float* out, int n) {
  float sum;
  if constexpr (kFixed) sum = 0;
  for (int i = 0; i < n; ++i) sum += in[threadIdx.x * n + i];
  out[threadIdx.x] = sum;  // <- sum_without_a_start
}

// The fixed kernel copies a member without a value, and computes with one in lanes that do not use the result.
// case maximum_without_a_start: uninitialised
// cause maximum_without_a_start: variable_unset
struct Hit {
  float distance, weight;
};
template <bool kFixed>
__global__ void maxima(const float* in, Hit* out, int n) {
  Hit best;
  if constexpr (kFixed) best.distance = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    if (in[i] > 3) best.weight = in[i];
    best.distance = fmaxf(best.distance, in[i]);
  }
  const float twice = best.weight * 2;
  out[threadIdx.x] = best;  // <- maximum_without_a_start
  if (in[threadIdx.x] > 3) out[threadIdx.x + 32].weight = twice;
}

const Case kCases[] = {
    {"through_a_tile", [](bool f) { through_tile<<<1, 64>>>(f ? numbers<float>(64) : untouched<float>(64), zeros<float>(64)); }},
    {"sum_without_a_start", [](bool f) { (f ? row_sums<true> : row_sums<false>)<<<1, 32>>>(numbers<float>(160), zeros<float>(32), 5); }},
    {"maximum_without_a_start", [](bool f) { (f ? maxima<true> : maxima<false>)<<<1, 32>>>(numbers<float>(64), zeros<Hit>(64), 40); }},
    {"malloc_without_memset", [](bool f) { accumulate<<<2, 128>>>(numbers<float>(256), f ? zeros<float>(256) : untouched<float>(256)); }},
    {"tile_edge_not_filled", [](bool f) { (f ? tile_sum<true> : tile_sum<false>)<<<4, 256>>>(numbers<float>(1000), zeros<float>(4), 1000); }},
    {"cp_async_without_wait", [](bool f) { (f ? copied<true> : copied<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"index_never_written", [](bool f) { gather<<<1, 64>>>(f ? numbers<int>(64) : untouched<int>(64), numbers<float>(64), zeros<float>(64)); }},
    {"branch_on_undefined", [](bool f) { filtered<<<1, 64>>>(f ? numbers<int>(64) : untouched<int>(64), numbers<float>(64), zeros<float>(64)); }},
    {"either_is_undefined", [](bool f) { either<<<1, 64>>>(numbers<int>(64), zeros<int>(64), f ? 32 : 31); }},
    {"histogram_not_cleared", [](bool f) { (f ? histogram<true> : histogram<false>)<<<1, 256>>>(numbers<int>(256), zeros<int>(61)); }},
    {"structs_not_written", [](bool f) { (f ? reversed<true> : reversed<false>)<<<1, 64>>>(untouched<Padded>(64)); }},
    {"output_read_by_next_kernel", [](bool f) {
       float* a = untouched<float>(512);
       first_half<<<f ? 2 : 1, 256>>>(a, 512);
       squares<<<2, 256>>>(a, zeros<float>(512), 512);
     }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
