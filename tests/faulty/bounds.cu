// Accesses outside an array, at addresses that are no multiple of their size, and to memory that is gone.
#include "faulty.h"

// case grid_off_by_one: out_of_bounds
// says grid_off_by_one: the first byte past its end (cudaMalloc at faulty.h:
template <bool kFixed>
__global__ void scale(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kFixed ? i < n : i <= n) a[i] *= 2;  // <- grid_off_by_one
}

// case last_tile_without_guard: out_of_bounds
template <bool kFixed>
__global__ void tile_copy(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = !kFixed || i < n ? in[i] : 0;  // <- last_tile_without_guard
  __syncthreads();
  if (i < n) out[i] = s[255 - t];
}

// case halo_before_the_array: out_of_bounds
template <bool kFixed>
__global__ void difference(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = !kFixed || i > 0 ? in[i - 1] : 0;  // <- halo_before_the_array
  out[i] = in[i] - left;
}

// case shared_array_too_small: out_of_bounds
template <bool kFixed>
__global__ void in_dynamic_shared(const float* in, float* out) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  s[t] = in[t];  // <- shared_array_too_small
  __syncthreads();
  out[t] = s[255 - t];
}

// case misaligned_float4: misaligned
template <bool kFixed>
__global__ void by_four(const float* in, float* out) {
  const int i = threadIdx.x;
  const float4 v = *reinterpret_cast<const float4*>(in + 4 * i + (kFixed ? 4 : 1));  // <- misaligned_float4
  out[i] = v.x + v.y + v.z + v.w;  // <- misaligned_float4, by clang
}

// case use_after_free: out_of_bounds
// says use_after_free: that was freed: cudaFree at bounds.cu:
// says use_after_free: came before this access (cudaMalloc at faulty.h:
// says use_after_free: , called from bounds.cu:
__global__ void sum(const float* in, float* out) {
  float total = 0;
  for (int i = 0; i < 64; ++i) total += in[i];  // <- use_after_free
  *out = total;
}

// case variable_of_another_kernel: out_of_bounds
// says variable_of_another_kernel: an address of a thread's own variable (local memory)
// says variable_of_another_kernel, by clang: at offset 0 of local memory, of which the thread has 0 bytes
template <bool kFixed>
__global__ void keep_address(int** kept, int* in_global) {
  int mine[4];
  mine[threadIdx.x % 4] = 1;
  *kept = kFixed ? in_global : mine;
}
__global__ void follow(int** kept, int* out) {
  *out = **kept;  // <- variable_of_another_kernel
}

// case host_pointer: out_of_bounds
__global__ void increment(int* a) {
  a[threadIdx.x] += 1;  // <- host_pointer
}

const Case kCases[] = {
    {"grid_off_by_one", [](bool f) { (f ? scale<true> : scale<false>)<<<5, 256>>>(numbers<float>(1000), 1000); }},
    {"last_tile_without_guard", [](bool f) { (f ? tile_copy<true> : tile_copy<false>)<<<4, 256>>>(numbers<float>(1000), zeros<float>(1000), 1000); }},
    {"halo_before_the_array", [](bool f) { (f ? difference<true> : difference<false>)<<<4, 256>>>(numbers<float>(1000), zeros<float>(1000), 1000); }},
    {"shared_array_too_small", [](bool f) {
       (f ? in_dynamic_shared<true> : in_dynamic_shared<false>)<<<1, 256, f ? 1024 : 512>>>(numbers<float>(256), zeros<float>(256));
     }},
    {"misaligned_float4", [](bool f) { (f ? by_four<true> : by_four<false>)<<<1, 32>>>(numbers<float>(256), zeros<float>(32)); }},
    {"use_after_free", [](bool f) {
       float* a = numbers<float>(64);
       if (!f) must(cudaFree(a), "cudaFree");
       sum<<<1, 1>>>(a, zeros<float>(1));
     }},
    {"variable_of_another_kernel", [](bool f) {
       int** kept = zeros<int*>(1);
       (f ? keep_address<true> : keep_address<false>)<<<1, 1>>>(kept, zeros<int>(1));
       follow<<<1, 1>>>(kept, zeros<int>(1));
     }},
    {"host_pointer", [](bool f) {
       static int on_the_host[32];
       increment<<<1, 32>>>(f ? zeros<int>(32) : on_the_host);
     }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
