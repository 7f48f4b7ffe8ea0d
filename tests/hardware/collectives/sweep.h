// Times collectives of two GPUs: a call between two events, behind a kernel that holds the first
// GPU until all is queued. NCCL runs in the same process, in a captured graph and in plain calls.
#pragma once

#include <cublas_v2.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "gemm_ranks.h"
template <typename Code>
inline void check(Code code) {
  if (static_cast<int>(code) == 0) return;
  printf("error %d\n", static_cast<int>(code));
  exit(1);
}
constexpr int R = 2;
inline cudaStream_t st[R];
inline cudaEvent_t ev0, ev1, oth;
inline ncclComm_t comm[R];
__global__ inline void gate_k(unsigned long long ns) {
  unsigned long long a, b;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(a));
  do
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(b));
  while (b - a < ns);
}
inline void sync() {
  for (int r = 0; r < R; ++r) {
    check(cudaSetDevice(r));
    check(cudaDeviceSynchronize());
  }
  check(cudaSetDevice(0));
}
inline void setup() {
  int c = 0;
  check(cudaGetDeviceCount(&c));
  if (c < R) {
    printf("only %d devices\n", c);
    exit(1);
  }
  for (int r = 0; r < R; ++r) {
    check(cudaSetDevice(r));
    check(cudaDeviceEnablePeerAccess(1 - r, 0));
    check(cudaStreamCreateWithFlags(&st[r], cudaStreamNonBlocking));
  }
  check(cudaSetDevice(1));
  check(cudaEventCreateWithFlags(&oth, cudaEventDisableTiming));
  check(cudaSetDevice(0));
  check(cudaEventCreate(&ev0));
  check(cudaEventCreate(&ev1));
}
inline void nccl_setup() {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  check(ncclCommInitAll(comm, R, nullptr));
  int v;
  ncclGetVersion(&v);
  printf("NCCL %d\n", v);
}
// us; before() is not timed
inline double time_us(const std::function<void()>& before, const std::function<void()>& call,
                      int reps = 21, unsigned long long gate = 60000) {
  std::vector<double> t;
  for (int i = 0; i < reps + 4; ++i) {
    if (before) before();
    sync();
    check(cudaSetDevice(0));
    gate_k<<<1, 1, 0, st[0]>>>(gate);
    check(cudaEventRecord(ev0, st[0]));
    check(cudaSetDevice(1));
    check(cudaStreamWaitEvent(st[1], ev0, 0));
    call();
    check(cudaSetDevice(1));
    check(cudaEventRecord(oth, st[1]));
    check(cudaSetDevice(0));
    check(cudaStreamWaitEvent(st[0], oth, 0));
    check(cudaEventRecord(ev1, st[0]));
    sync();
    check(cudaGetLastError());
    float ms;
    check(cudaEventElapsedTime(&ms, ev0, ev1));
    if (i >= 4) t.push_back(ms * 1e3);
  }
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}
inline cudaGraphExec_t capture(const std::function<void()>& call) {
  call();
  sync();
  check(cudaSetDevice(0));
  check(cudaStreamBeginCapture(st[0], cudaStreamCaptureModeThreadLocal));
  check(cudaEventRecord(ev0, st[0]));
  check(cudaSetDevice(1));
  check(cudaStreamWaitEvent(st[1], ev0, 0));
  call();
  check(cudaSetDevice(1));
  check(cudaEventRecord(oth, st[1]));
  check(cudaSetDevice(0));
  check(cudaStreamWaitEvent(st[0], oth, 0));
  cudaGraph_t g;
  check(cudaStreamEndCapture(st[0], &g));
  cudaGraphExec_t e;
  check(cudaGraphInstantiate(&e, g, 0));
  return e;
}
struct Mem {
  void* p[R];
  void alloc(size_t b, bool zero = true) {
    for (int r = 0; r < R; ++r) {
      check(cudaSetDevice(r));
      check(cudaMalloc(&p[r], b));
      if (zero) check(cudaMemset(p[r], 0, b));
    }
  }
};
__global__ inline void fill_f(float* x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    unsigned h = (unsigned)i * 2654435761u ^ seed;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    h ^= h >> 16;
    x[i] = (h >> 8) * (2.f / 16777216) - 1;
  }
}
__global__ inline void fill_b(__nv_bfloat16* x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    unsigned h = (unsigned)i * 2654435761u ^ seed;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    h ^= h >> 16;
    x[i] = __float2bfloat16((h >> 8) * (2.f / 16777216) - 1);
  }
}
