// Kernel launches.
#include <cstring>
#include <vector>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/work/launch.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};

// kernel<<<...>>>(arguments): the configuration is pushed, the arguments are evaluated (which may
// launch kernels too), and the stub pops it.
thread_local std::vector<CallConfiguration> pushed_configurations;

// Events that the launch attributes record.
struct LaunchEvents {
  cudaEvent_t begun = nullptr;  // recorded when the blocks have started
  cudaEvent_t done = nullptr;
};

cudaError_t read_attribute(const cudaLaunchAttribute& attribute, LaunchRequest& request,
                           LaunchEvents& events) {
  switch (attribute.id) {
    case cudaLaunchAttributeClusterDimension:
      request.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
      return cudaSuccess;
    case cudaLaunchAttributeCooperative:
      request.cooperative = attribute.val.cooperative != 0;
      return cudaSuccess;
    case cudaLaunchAttributeLaunchCompletionEvent:
      events.begun = attribute.val.launchCompletionEvent.event;
      return cudaSuccess;
    case cudaLaunchAttributeProgrammaticEvent:
      events.done = attribute.val.programmaticEvent.event;
      return cudaSuccess;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      if (attribute.val.deviceUpdatableKernelNode.deviceUpdatable == 0) return cudaSuccess;
      say("kernel nodes that a kernel updates are not implemented: update them from the host, or run this on "
          "a GPU");
      return cudaErrorNotSupported;
    // A dependent grid may begin before the previous one ends, but need not: here it begins after
    // it. Its accesses before griddepcontrol.wait are checked (observe/races/dependent_launch.h).
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      request.may_begin_early = attribute.val.programmaticStreamSerializationAllowed != 0;
      return cudaSuccess;
    // Hints: they affect when and where work runs, never its results. The preferred cluster size is
    // a hint too; ClusterDimension has the size that is always possible.
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t read_attributes(const cudaLaunchConfig_t& config, LaunchRequest& request, LaunchEvents& events) {
  if (config.numAttrs > 0 && !config.attrs) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (cudaError_t error = read_attribute(config.attrs[i], request, events); error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

cudaError_t record_in(cudaStream_t stream, cudaEvent_t handle) {
  if (!handle) return cudaSuccess;
  std::shared_ptr<Event> event = process().events.find(handle);
  std::shared_ptr<Stream> target = find_stream(stream);
  return event && target ? record_event(*event, *target) : cudaErrorInvalidResourceHandle;
}

}  // namespace

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  pushed_configurations.push_back({grid, block, shared_bytes, static_cast<cudaStream_t>(stream)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (pushed_configurations.empty()) return record(cudaErrorMissingConfiguration);
  const CallConfiguration& configuration = pushed_configurations.back();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  std::memcpy(stream, &configuration.stream, sizeof configuration.stream);
  pushed_configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_stub) {
  if (!kernel) return record(cudaErrorInvalidValue);
  *kernel = reinterpret_cast<cudaKernel_t>(registry().find_kernel(host_stub));
  return *kernel ? cudaSuccess : record(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host_stub) {
  return __cudaGetKernel(kernel, host_stub);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host_stub) {
  return __cudaGetKernel(reinterpret_cast<cudaKernel_t*>(function), host_stub);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return call([&] { return launch(function, grid, block, arguments, shared_bytes, stream); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return call([&] { return launch(function, grid, block, arguments, shared_bytes, stream, true); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return call([&] {
    if (!config) return cudaErrorInvalidValue;
    LaunchRequest request;
    request.kernel = registry().find_kernel(function);
    if (!request.kernel) return cudaErrorInvalidDeviceFunction;
    request.grid = config->gridDim;
    request.block = config->blockDim;
    request.dynamic_shared_bytes = config->dynamicSmemBytes;
    LaunchEvents events;
    cudaError_t error = read_attributes(*config, request, events);
    if (error == cudaSuccess) error = record_in(config->stream, events.begun);
    if (error == cudaSuccess) error = launch(std::move(request), arguments, config->stream);
    return error == cudaSuccess ? record_in(config->stream, events.done) : error;
  });
}
