// Kernels of known cost for timing. nvcc compiles them when something is first timed on a machine,
// and the child opens them with dlopen; every function returns the launch's error.
#include <cuda_runtime.h>

namespace {

__device__ unsigned long long device_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold_all_threads(unsigned long long ns) {
  const unsigned long long start = device_ns();
  while (device_ns() - start < ns) {
  }
}

__global__ void do_nothing() {}

// 16 independent chains per thread hide the latency of 4 cycles of an FMA.
constexpr int kChains = 16, kSteps = 2048;

__global__ void multiply_add(float a, float b, float* out) {
  float x[kChains];  // [16]
#pragma unroll
  for (int i = 0; i < kChains; ++i)
    x[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 4
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < kChains; ++i)
      x[i] = fmaf(x[i], a, b);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i)
    sum += x[i];
  if (sum == -1) *out = sum;  // never true, but the compiler does not know
}

// Reads the whole buffer, 16 bytes per lane with eight loads in flight per thread, and writes
// nothing.
__global__ void read_all(const uint4* from, long long vectors, unsigned* out) {
  constexpr int kInFlight = 8;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors;
       i += threads * kInFlight) {
    uint4 x[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k)
      x[k] = i + k * threads < vectors ? from[i + k * threads] : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < kInFlight; ++k)
      sum ^= x[k].x ^ x[k].y ^ x[k].z ^ x[k].w;
  }
  if (sum == 0x12345678u) *out = sum;  // the buffer never has this sum
}

constexpr int kMostLate = 4;
struct LateInputs {
  const unsigned char* from[kMostLate];
  unsigned char* to[kMostLate];
  long long bytes[kMostLate];
  int count;
};

// What may begin before this kernel has ended (programmatic dependent launch) may do so at once; its
// inputs are there later. One block per device; they end together.
__global__ void copy_late(LateInputs inputs, unsigned* arrivals, unsigned devices, unsigned long long ns) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  const unsigned long long start = device_ns();
  while (device_ns() - start < ns) {
  }
  for (int input = 0; input < inputs.count; ++input)
    for (long long i = threadIdx.x; i < inputs.bytes[input]; i += blockDim.x)
      inputs.to[input][i] = inputs.from[input][i];
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    unsigned arrived;
    do
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(arrived) : "l"(arrivals) : "memory");
    while (arrived < devices);
  }
}

}  // namespace

// Occupies every thread slot of the device for `ns`: the work behind it is completely queued when
// it ends, and nothing else can run meanwhile. 2, 3 or 4 blocks of 512 threads fit on every SM
// since Turing.
extern "C" int ridge_gate(int multiprocessors, int threads_per_multiprocessor, unsigned long long ns, cudaStream_t stream) {
  hold_all_threads<<<multiprocessors * (threads_per_multiprocessor / 512), 512, 0, stream>>>(ns);
  return cudaGetLastError();
}

extern "C" int ridge_empty_launch(cudaStream_t stream) {
  do_nothing<<<1, 32, 0, stream>>>();
  return cudaGetLastError();
}

// Executes only float32 FMAs, on every SM; *operations is their number, two per FMA.
extern "C" int ridge_multiply_adds(int multiprocessors, float* out, double* operations, cudaStream_t stream) {
  // 256 threads each: a multiple of waves of 8 blocks per SM.
  const int blocks = multiprocessors * 16;
  *operations = 2.0 * kChains * kSteps * 256 * blocks;
  multiply_add<<<blocks, 256, 0, stream>>>(0.999f, 0.5f, out);
  return cudaGetLastError();
}

// Only reads `bytes`, a multiple of 16.
extern "C" int ridge_read(int multiprocessors, const void* from, long long bytes, unsigned* out, cudaStream_t stream) {
  read_all<<<multiprocessors * 8, 256, 0, stream>>>(static_cast<const uint4*>(from), bytes / 16, out);
  return cudaGetLastError();
}

// Copies inputs of this device to their places after `ns`. `arrivals`: a zeroed word in memory that
// all `devices` can access; each of them makes this call once.
extern "C" int ridge_write_late(int inputs, const void* const* from, void* const* to, const long long* bytes,
                                unsigned* arrivals, int devices, unsigned long long ns, cudaStream_t stream) {
  if (inputs > kMostLate) return cudaErrorInvalidValue;
  LateInputs late = {};
  late.count = inputs;
  for (int i = 0; i < inputs; ++i) {
    late.from[i] = static_cast<const unsigned char*>(from[i]);
    late.to[i] = static_cast<unsigned char*>(to[i]);
    late.bytes[i] = bytes[i];
  }
  copy_late<<<1, 1024, 0, stream>>>(late, arrivals, static_cast<unsigned>(devices), ns);
  return cudaGetLastError();
}
