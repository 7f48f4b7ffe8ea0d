// A kernel launch: refused with NVIDIA's codes when the configuration is invalid, otherwise
// executed on the machine.
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
  bool may_begin_early = false;       // before the previous launch in the stream has ended
  std::shared_ptr<LaunchLink> link;   // to the previous launch and the next one
  std::vector<std::byte> parameters;  // in the kernel's layout
};

// Checks the request, copies the arguments that `arguments` points to, and submits the launch to
// the stream. Errors of the kernel are returned by the next call, as on a GPU.
cudaError_t launch(LaunchRequest request, void** arguments, cudaStream_t stream);
// The same for a host stub or a kernel handle; cudaErrorInvalidDeviceFunction when it is neither.
cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, size_t dynamic_shared_bytes,
                   cudaStream_t stream, bool cooperative = false);

// Sets the cluster size that the kernel was compiled with (__cluster_dims__), or that an attribute
// set, when the launch has none.
void fill_cluster(LaunchRequest& request, const machine::KernelInfo& info);
// cudaSuccess, or why such a grid can never start.
cudaError_t check_configuration(const LaunchRequest& request, const LoadedKernel& kernel,
                                const Device& device);

warp_model::BlockResources block_resources(const Kernel& kernel, const LoadedKernel& loaded, uint64_t threads,
                                           uint64_t dynamic_shared_bytes);
// The largest block size of this kernel: its launch bounds, or the limit from its registers.
uint32_t max_threads_per_block(const LoadedKernel& kernel, const Device& device);
// The maximum dynamic shared memory of a launch: 48 KB minus the static part, or the value set by
// cudaFuncSetAttribute.
uint64_t max_dynamic_shared_bytes(const Kernel& kernel, const LoadedKernel& loaded, const Device& device);

}  // namespace ridge::runtime
