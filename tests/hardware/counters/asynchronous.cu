// Units beside the threads' own loads: ldmatrix and stmatrix, cp.async, bulk copies.
#include <cstdint>

#include "micro_kernel.h"

constexpr int kBlocks = 32, kThreads = 256;

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Rows of 8 halves (16 bytes) at a distance of `row_bytes`: 16 has no conflicts, 128 puts all eight in the same banks.
template <int matrices, int row_bytes>
__global__ void load_matrix(uint32_t* out) {
  __shared__ __align__(128) unsigned char tile[32 * row_bytes];
  for (unsigned i = threadIdx.x; i < 32 * row_bytes / 4; i += kThreads)
    reinterpret_cast<uint32_t*>(tile)[i] = i;
  __syncthreads();
  const uint32_t row = shared_address(tile) + threadIdx.x % 32 * row_bytes;
  uint32_t r[4] = {};
  if constexpr (matrices == 1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(row));
  if constexpr (matrices == 2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(row));
  if constexpr (matrices == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
  out[blockIdx.x * kThreads + threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

template <int row_bytes>
__global__ void store_matrix(uint32_t* out) {
  __shared__ __align__(128) unsigned char tile[32 * row_bytes];
  const uint32_t row = shared_address(tile) + threadIdx.x % 32 * row_bytes;
  if (threadIdx.x < 32) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(row), "r"(threadIdx.x));
  }
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = *reinterpret_cast<uint32_t*>(tile);
}

// `bytes` a lane from global to shared memory without a register between.
template <int bytes>
__global__ void copy_async(const unsigned char* in, uint32_t* out) {
  __shared__ __align__(128) unsigned char tile[kThreads * bytes];
  const unsigned offset = threadIdx.x * bytes;
  const unsigned char* from = in + blockIdx.x * kThreads * bytes + offset;
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(tile + offset)), "l"(from));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(tile + offset)), "l"(from),
                 "n"(bytes));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = reinterpret_cast<uint32_t*>(tile)[threadIdx.x];
}

// 16 bytes per lane into rows that are `row_bytes` apart in shared memory, with or without conflicts.
template <int row_bytes>
__global__ void copy_async_rows(const unsigned char* in, uint32_t* out) {
  extern __shared__ __align__(128) unsigned char rows[];
  const unsigned char* from = in + (blockIdx.x * kThreads + threadIdx.x) * 16;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(rows + threadIdx.x * row_bytes)),
               "l"(from));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = reinterpret_cast<uint32_t*>(rows)[threadIdx.x];
}

// One thread asks for 8 KB; everybody waits at the mbarrier.
__global__ void copy_bulk(const unsigned char* in, uint32_t* out) {
  constexpr uint32_t kBytes = 8192;
  __shared__ __align__(128) unsigned char tile[kBytes];
  __shared__ __align__(8) uint64_t arrived;
  const uint32_t barrier = shared_address(&arrived);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(kBytes));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(tile)),
        "l"(in + blockIdx.x * kBytes), "r"(kBytes), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (!done) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  }
  out[blockIdx.x * kThreads + threadIdx.x] = reinterpret_cast<uint32_t*>(tile)[threadIdx.x];
}

int main() {
  auto* in = device_array<unsigned char>(1 << 20);
  auto* out = device_array<uint32_t>(kBlocks * kThreads);
  load_matrix<1, 16><<<kBlocks, kThreads>>>(out);
  load_matrix<2, 16><<<kBlocks, kThreads>>>(out);
  load_matrix<4, 16><<<kBlocks, kThreads>>>(out);
  load_matrix<4, 128><<<kBlocks, kThreads>>>(out);
  load_matrix<4, 144><<<kBlocks, kThreads>>>(out);
  load_matrix<4, 32><<<kBlocks, kThreads>>>(out);
  store_matrix<16><<<kBlocks, kThreads>>>(out);
  store_matrix<128><<<kBlocks, kThreads>>>(out);
  copy_async<4><<<kBlocks, kThreads>>>(in, out);
  copy_async<8><<<kBlocks, kThreads>>>(in, out);
  copy_async<16><<<kBlocks, kThreads>>>(in, out);
  copy_async_rows<16><<<kBlocks, kThreads, kThreads * 16>>>(in, out);
  copy_async_rows<128><<<kBlocks, kThreads, kThreads * 128>>>(in, out);
  copy_bulk<<<kBlocks, kThreads>>>(in, out);
  finish();
}
