// A kernel launch: refused with NVIDIA's codes when the configuration is wrong, else run to its end on the
// machine.
#pragma once

#include <cstddef>
#include <vector>

#include "virtual_gpu/runtime/binary/registry.h"
#include "virtual_gpu/runtime/work/stream.h"
#include "warp_model/occupancy.h"

namespace ridge::runtime {

struct LaunchRequest {
  Kernel* kernel = nullptr;
  dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};  // cluster 0: none
  size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool on_default_stream = false;
  bool may_begin_early = false;       // before the launch ahead of it in the stream has ended
  std::shared_ptr<LaunchLink> link;   // to that launch, and to the one behind
  std::vector<std::byte> parameters;  // laid out as the kernel reads them
};

// Checks the request, copies the arguments that `arguments` points to, and submits the launch to the stream.
// What a kernel does wrong shows at the next call, as it does on a GPU.
cudaError_t launch(LaunchRequest request, void** arguments, cudaStream_t stream);
// The same for a host stub or a kernel handle; cudaErrorInvalidDeviceFunction when it is neither.
cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, size_t dynamic_shared_bytes,
                   cudaStream_t stream, bool cooperative = false);

// The cluster a kernel was compiled for (__cluster_dims__), or was given by attribute, when the launch names
// none.
void fill_cluster(LaunchRequest& request, const machine::KernelInfo& info);
// cudaSuccess, or why a grid like this can never start.
cudaError_t check_configuration(const LaunchRequest& request, const LoadedKernel& kernel,
                                const Device& device);

warp_model::BlockResources block_resources(const Kernel& kernel, const LoadedKernel& loaded, uint64_t threads,
                                           uint64_t dynamic_shared_bytes);
// The most threads a block of this kernel can have: its launch bounds, or what its registers leave room for.
uint32_t max_threads_per_block(const LoadedKernel& kernel, const Device& device);
// Dynamic shared memory that a launch may ask for: 48 KB less the static part, or what cudaFuncSetAttribute
// allowed.
uint64_t max_dynamic_shared_bytes(const Kernel& kernel, const LoadedKernel& loaded, const Device& device);

}  // namespace ridge::runtime
