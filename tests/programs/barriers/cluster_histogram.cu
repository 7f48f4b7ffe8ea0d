// A histogram spread over the shared memory of a cluster's blocks (distributed shared memory), for clusters
// of several sizes and shapes, launched with cudaLaunchKernelEx.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int kBins = 1024, kElements = 40000;

__global__ void histogram(const unsigned* in, int n, int* bins) {
  extern __shared__ int part[];
  cg::cluster_group cluster = cg::this_cluster();
  int per_block = kBins / cluster.num_blocks();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    part[i] = 0;
  cluster.sync();
  int thread = (blockIdx.x + gridDim.x * blockIdx.y) * blockDim.x + threadIdx.x;
  int threads = gridDim.x * gridDim.y * blockDim.x;
  for (int i = thread; i < n; i += threads) {
    int bin = in[i] % kBins;
    int* owner = cluster.map_shared_rank(part, bin / per_block);
    atomicAdd(owner + bin % per_block, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * per_block + i], part[i]);
}

int main() {
  static unsigned in[kElements];
  static int expected[kBins], bins[kBins];
  unsigned state = 12345;
  for (unsigned& value : in) {
    state = state * 1664525u + 1013904223u;
    value = state >> 8;
    ++expected[value % kBins];
  }
  unsigned* device_in = device_array<unsigned>(kElements);
  int* device_bins = device_array<int>(kBins);
  to_device(device_in, in, kElements);
  check(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        "cudaFuncSetAttribute");
  const dim3 clusters[] = {{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {8, 1, 1}, {16, 1, 1}, {2, 2, 1}, {4, 2, 1}};
  for (dim3 cluster : clusters) {
    check(cudaMemset(device_bins, 0, sizeof bins), "cudaMemset");
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(16, 2, 1);
    config.blockDim = dim3(128, 1, 1);
    config.dynamicSmemBytes = kBins / (cluster.x * cluster.y) * sizeof(int);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.attrs = &attribute;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, histogram, static_cast<const unsigned*>(device_in), kElements,
                             device_bins),
          "cudaLaunchKernelEx");
    finish("histogram");
    to_host(bins, device_bins, kBins);
    int wrong = 0;
    for (int i = 0; i < kBins; ++i)
      wrong += bins[i] != expected[i];
    std::printf("clusters of %ux%u: %d wrong\n", cluster.x, cluster.y, wrong);
  }
}
