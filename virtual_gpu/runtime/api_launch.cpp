// Kernel launches.
#include <cstring>
#include <vector>

#include "virtual_gpu/runtime/errors.h"
#include "virtual_gpu/runtime/launch.h"

using namespace ridge::runtime;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};

// kernel<<<...>>>(arguments): the configuration is pushed, the arguments are evaluated (they may launch
// kernels themselves), and the stub pops it.
thread_local std::vector<CallConfiguration> pushed_configurations;

cudaError_t read_attributes(const cudaLaunchConfig_t& config, LaunchRequest& request) {
  if (config.numAttrs > 0 && !config.attrs) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      request.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
    } else if (attribute.id == cudaLaunchAttributeCooperative) {
      request.cooperative = attribute.val.cooperative != 0;
    }
    // The others change when and where work runs, never what it computes.
  }
  return cudaSuccess;
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
    if (cudaError_t error = read_attributes(*config, request); error != cudaSuccess) return error;
    return launch(std::move(request), arguments, config->stream);
  });
}
