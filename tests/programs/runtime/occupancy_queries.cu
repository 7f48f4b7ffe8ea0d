// What the device says of itself, of a kernel, and of how many blocks fit: the figures of an H200.
#include "check.h"

__global__ void plain(float* data) {
  data[threadIdx.x] += 1;
}
__global__ void with_shared(float* data) {
  __shared__ float tile[12 * 1024];  // 48 KB
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, 0), "properties");
  printf("%.11s, sm_%d%d, %d SMs, warp %d\n", p.name, p.major, p.minor, p.multiProcessorCount, p.warpSize);
  int optin = 0, threads = 0;
  check(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "attribute");
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0), "attribute");
  printf("shared %zu, opt-in %d, threads %d\n", p.sharedMemPerBlock, optin, threads);
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0), "occupancy");
  printf("plain: %d blocks of 256\n", blocks);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_shared, 128, 0), "occupancy");
  printf("with 48 KB: %d blocks of 128\n", blocks);
  int grid = 0, block = 0;
  check(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain), "potential");
  printf("potential: grid %d block %d\n", grid, block);
  cudaFuncAttributes a;
  check(cudaFuncGetAttributes(&a, with_shared), "attributes");
  printf("shared %zu, registers known %d, threads %d, ptx %d\n", a.sharedSizeBytes, a.numRegs > 0,
         a.maxThreadsPerBlock, a.ptxVersion);
  int runtime = 0, driver = 0;
  check(cudaRuntimeGetVersion(&runtime), "version");
  check(cudaDriverGetVersion(&driver), "version");
  printf("%d %d\n", runtime, driver >= runtime);
}
