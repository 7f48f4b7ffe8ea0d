// Occupancy queries, answered by warp_model.
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/work/launch.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

cudaError_t resident_blocks(const void* function, int threads, size_t dynamic_shared_bytes, int& blocks) {
  Kernel* kernel = registry().find_kernel(function);
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  if (threads <= 0) return cudaErrorInvalidValue;
  Device& device = current_device();
  LoadedKernel loaded = kernel->binary->load(*kernel, device);
  blocks = 0;
  if (static_cast<uint32_t>(threads) > max_threads_per_block(loaded, device)) return cudaSuccess;
  if (dynamic_shared_bytes > max_dynamic_shared_bytes(*kernel, loaded, device)) return cudaSuccess;
  auto block = block_resources(*kernel, loaded, static_cast<uint64_t>(threads), dynamic_shared_bytes);
  blocks = static_cast<int>(ridge::warp_model::occupancy(*device.description, block).blocks_per_sm);
  return cudaSuccess;
}

uint64_t clusters_that_fit(const ridge::warp_model::DeviceDescription& device, int blocks_per_sm,
                           uint64_t size) {
  const auto blocks = static_cast<uint64_t>(blocks_per_sm);
  if (device.gpc_multiprocessors.empty()) return blocks * device.multiprocessors / size;
  uint64_t clusters = 0;
  for (const uint32_t multiprocessors : device.gpc_multiprocessors)
    clusters += blocks * multiprocessors / size;
  return clusters;
}

uint64_t cluster_blocks(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& cluster = config.attrs[i].val.clusterDim;
    return static_cast<uint64_t>(cluster.x) * cluster.y * cluster.z;
  }
  return 1;
}

cudaError_t active_clusters(const void* function, const cudaLaunchConfig_t& config, uint64_t size,
                            int& clusters) {
  if (size == 0) return cudaErrorInvalidClusterSize;
  int resident = 0;
  const auto threads = static_cast<int>(config.blockDim.x * config.blockDim.y * config.blockDim.z);
  cudaError_t error = resident_blocks(function, threads, config.dynamicSmemBytes, resident);
  if (error == cudaSuccess)
    clusters = static_cast<int>(clusters_that_fit(*current_device().description, resident, size));
  return error;
}

}  // namespace

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          size_t dynamic_shared_bytes) {
  return call([&] {
    if (!blocks) return cudaErrorInvalidValue;
    return resident_blocks(function, threads, dynamic_shared_bytes, *blocks);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, size_t dynamic_shared_bytes,
                                                                   unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, dynamic_shared_bytes);
}

// The maximum dynamic shared memory per block with which `blocks` blocks are resident.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                      int threads) {
  return call([&] {
    if (!bytes || blocks <= 0) return cudaErrorInvalidValue;
    size_t low = 0, high = current_device().description->shared_bytes_per_block_optin + 1;
    int resident = 0;
    if (cudaError_t error = resident_blocks(function, threads, 0, resident); error != cudaSuccess)
      return error;
    if (resident < blocks) return cudaErrorInvalidValue;
    while (high - low > 1) {
      size_t middle = (low + high) / 2;
      if (cudaError_t error = resident_blocks(function, threads, middle, resident); error != cudaSuccess)
        return error;
      (resident >= blocks ? low : high) = middle;
    }
    *bytes = low;
    return cudaSuccess;
  });
}

// A cluster is placed in one GPC: sum of the clusters per GPC.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return call([&] {
    if (!clusters || !config) return cudaErrorInvalidValue;
    return active_clusters(function, *config, cluster_blocks(*config), *clusters);
  });
}

// The largest size of which one cluster fits: 8 blocks are portable, 16 require the kernel's
// attribute.
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* cluster_size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return call([&] {
    if (!cluster_size || !config) return cudaErrorInvalidValue;
    Kernel* kernel = registry().find_kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    const bool has_clusters = current_device().description->compute_major >= 9;
    for (uint64_t size = !has_clusters ? 1 : kernel->allows_big_clusters ? 16 : 8; size >= 1; size /= 2) {
      int clusters = 0;
      if (cudaError_t error = active_clusters(function, *config, size, clusters); error != cudaSuccess)
        return error;
      if (clusters == 0) continue;
      *cluster_size = static_cast<int>(size);
      return cudaSuccess;
    }
    return cudaErrorInvalidConfiguration;
  });
}
