// Races in shared memory: what __syncthreads and __syncwarp are for.
#include "faulty.h"

// case barrier_before_read: race
// says barrier_before_read: put a __syncthreads()
template <bool kFixed>
__global__ void reverse(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  if (kFixed) __syncthreads();
  out[blockIdx.x * 256 + t] = s[255 - t];  // <- barrier_before_read
}

// case barrier_after_read: race
template <bool kFixed>
__global__ void tiles_in_turn(const float* in, float* out, int tiles) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    s[t] = in[tile * 256 + t];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += s[(t + 32 * i) % 256];  // <- barrier_after_read
    if (kFixed) __syncthreads();
  }
  out[t] = sum;
}

// case reduction_without_barrier: race
template <bool kFixed>
__global__ void tree_sum(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];  // <- reduction_without_barrier
    if (kFixed) __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

// case warp_synchronous_tail: race
// says warp_synchronous_tail: these two threads are of one warp: a __syncwarp() is enough only if
template <bool kFixed>
__global__ void unrolled_tail(const float* in, float* out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    for (int d = 32; d > 0; d /= 2) {
      float v = s[t] + (t + d < 64 ? s[t + d] : 0.0f);
      if (kFixed) __syncwarp();
      s[t] = v;  // <- warp_synchronous_tail
      if (kFixed) __syncwarp();
    }
  }
  if (t == 0) out[0] = s[0];
}

// case shared_histogram_without_atomics: race
template <bool kFixed>
__global__ void histogram(const int* in, int* out) {
  __shared__ int bins[61];
  const int t = threadIdx.x;
  if (t < 61) bins[t] = 0;
  __syncthreads();
  if (kFixed)
    atomicAdd(&bins[in[t]], 1);
  else
    bins[in[t]] += 1;  // <- shared_histogram_without_atomics
  __syncthreads();
  if (t < 61) out[t] = bins[t];
}

// case double_buffer_swapped: race
template <bool kFixed>
__global__ void double_buffer(const float* in, float* out, int steps) {
  __shared__ float s[2][256];
  const int t = threadIdx.x;
  s[0][t] = in[t];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int now = step & 1, next = kFixed ? now ^ 1 : now;
    const float v = s[now][(t + 1) % 256] + 1;
    s[next][t] = v;  // <- double_buffer_swapped
    __syncthreads();
  }
  out[t] = s[kFixed ? steps & 1 : 0][t];
}

// case halo_before_barrier: race
template <bool kFixed>
__global__ void blur(const float* in, float* out, int n) {
  __shared__ float s[258];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
  if (t == 255) s[257] = i + 1 < n ? in[i + 1] : 0.0f;
  if (kFixed) __syncthreads();
  out[i] = s[t] + s[t + 1] + s[t + 2];  // <- halo_before_barrier
}

// case everybody_writes_one_place: race
template <bool kFixed>
__global__ void last_one_wins(const float* in, float* out) {
  __shared__ float chosen;
  const int t = threadIdx.x;
  if (!kFixed || t == 0) chosen = in[t];  // <- everybody_writes_one_place
  __syncthreads();
  out[t] = chosen;
}

// case broadcast_without_barrier: race
template <bool kFixed>
__global__ void broadcast(const float* in, float* out) {
  __shared__ float scale;
  const int t = threadIdx.x;
  if (t == 0) scale = in[7];
  if (kFixed) __syncthreads();
  out[t] = in[t] * scale;  // <- broadcast_without_barrier
}

// case scan_in_place: race
template <bool kFixed>
__global__ void scan(const int* in, int* out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int v = t >= d ? s[t - d] : 0;  // one barrier between reading and writing is missing
    if (kFixed) __syncthreads();
    s[t] += v;  // <- scan_in_place
    __syncthreads();
  }
  out[t] = s[t];
}

// The block may be larger tomorrow: it needs the barrier of the block.
// case one_warp_is_the_block: race
// says one_warp_is_the_block: put a __syncthreads()
template <bool kFixed>
__global__ void reverse_of_32(const float* in, float* out) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (kFixed) __syncthreads();
  out[t] = s[31 - t];  // <- one_warp_is_the_block
}

// case named_barrier_of_half: race
template <bool kFixed>
__global__ void half_meets(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[t];
  // 128 threads meet at barrier 1, the other half at barrier 2: nobody meets the other half.
  if (kFixed)
    __syncthreads();
  else
    asm volatile("bar.sync %0, 128;" ::"r"(1 + t / 128) : "memory");
  out[t] = s[255 - t];  // <- named_barrier_of_half
}

static const float* in() { static float* a = numbers<float>(4096); return a; }
static const int* whole() { static int* a = numbers<int>(4096); return a; }

const Case kCases[] = {
    {"barrier_before_read", [](bool f) { (f ? reverse<true> : reverse<false>)<<<4, 256>>>(in(), zeros<float>(1024)); }},
    {"barrier_after_read", [](bool f) { (f ? tiles_in_turn<true> : tiles_in_turn<false>)<<<1, 256>>>(in(), zeros<float>(256), 4); }},
    {"reduction_without_barrier", [](bool f) { (f ? tree_sum<true> : tree_sum<false>)<<<1, 256>>>(in(), zeros<float>(1)); }},
    {"warp_synchronous_tail", [](bool f) { (f ? unrolled_tail<true> : unrolled_tail<false>)<<<1, 64>>>(in(), zeros<float>(1)); }},
    {"shared_histogram_without_atomics", [](bool f) { (f ? histogram<true> : histogram<false>)<<<1, 256>>>(whole(), zeros<int>(61)); }},
    {"double_buffer_swapped", [](bool f) { (f ? double_buffer<true> : double_buffer<false>)<<<1, 256>>>(in(), zeros<float>(256), 4); }},
    {"halo_before_barrier", [](bool f) { (f ? blur<true> : blur<false>)<<<4, 256>>>(in(), zeros<float>(1024), 1024); }},
    {"everybody_writes_one_place", [](bool f) { (f ? last_one_wins<true> : last_one_wins<false>)<<<1, 64>>>(in(), zeros<float>(64)); }},
    {"broadcast_without_barrier", [](bool f) { (f ? broadcast<true> : broadcast<false>)<<<1, 128>>>(in(), zeros<float>(128)); }},
    {"scan_in_place", [](bool f) { (f ? scan<true> : scan<false>)<<<1, 256>>>(whole(), zeros<int>(256)); }},
    {"one_warp_is_the_block", [](bool f) { (f ? reverse_of_32<true> : reverse_of_32<false>)<<<1, 32>>>(in(), zeros<float>(32)); }},
    {"named_barrier_of_half", [](bool f) { (f ? half_meets<true> : half_meets<false>)<<<1, 256>>>(in(), zeros<float>(256)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
