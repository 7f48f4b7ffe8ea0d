#include "virtual_gpu/runtime/work/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "text/demangled.h"
#include "virtual_gpu/runtime/work/execute.h"
#include "virtual_gpu/runtime/work/launch_link.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/process/runtime_calls.h"

namespace ridge::runtime {
namespace {

constexpr uint32_t kPortableClusterBlocks = 8, kLargestClusterBlocks = 16;

uint64_t volume(const dim3& d) {
  return static_cast<uint64_t>(d.x) * d.y * d.z;
}

cudaError_t refuse(cudaError_t code, const std::string& why) {
  say(why);
  return code;
}

cudaError_t check_shape(const LaunchRequest& request, const warp_model::DeviceDescription& device) {
  const dim3 &grid = request.grid, &block = request.block;
  bool fits = volume(grid) != 0 && volume(block) != 0 && grid.x <= device.max_grid_x &&
              grid.y <= device.max_grid_y && grid.z <= device.max_grid_z && block.x <= device.max_block_x &&
              block.y <= device.max_block_y && block.z <= device.max_block_z &&
              volume(block) <= device.max_threads_per_block;
  if (fits) return cudaSuccess;
  // An H200 returns this code with the libraries of CUDA 13.0; earlier ones returned
  // cudaErrorInvalidConfiguration.
  return refuse(
      cudaErrorInvalidValue,
      fmt::format(
          "{} was not launched: grid {}x{}x{}, block {}x{}x{} ({} threads); a block has 1 to {} threads "
          "(at most {}x{}x{}), a grid 1 to {}x{}x{} blocks",
          text::demangled(request.kernel->name), grid.x, grid.y, grid.z, block.x, block.y, block.z, volume(block),
          device.max_threads_per_block, device.max_block_x, device.max_block_y, device.max_block_z,
          device.max_grid_x, device.max_grid_y, device.max_grid_z));
}

cudaError_t check_cluster(const LaunchRequest& request, const warp_model::DeviceDescription& device) {
  const dim3& cluster = request.cluster;
  uint64_t blocks = volume(cluster);
  if (blocks == 0) return cudaSuccess;
  uint32_t most = request.kernel->allows_big_clusters ? kLargestClusterBlocks : kPortableClusterBlocks;
  bool divides =
      request.grid.x % cluster.x == 0 && request.grid.y % cluster.y == 0 && request.grid.z % cluster.z == 0;
  if (divides && blocks <= most && (blocks == 1 || device.compute_major >= 9)) return cudaSuccess;
  return refuse(
      cudaErrorInvalidClusterSize,
      fmt::format(
          "{} was not launched: a cluster of {}x{}x{} blocks in a grid of {}x{}x{}; it must divide the grid "
          "and have at most {} blocks",
          text::demangled(request.kernel->name), cluster.x, cluster.y, cluster.z, request.grid.x, request.grid.y,
          request.grid.z, most));
}

void copy_arguments(LaunchRequest& request, const machine::KernelInfo& info, void** arguments) {
  request.parameters.assign(info.parameter_bytes, std::byte{0});
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const machine::KernelParameter& parameter = info.parameters[i];
    std::memcpy(request.parameters.data() + parameter.offset, arguments[i], parameter.bytes);
  }
}

// The parameters that cudaGraphKernelNodeGetParams returns, and that may be changed and set again.
std::shared_ptr<KernelArguments> keep_arguments(const LaunchRequest& request,
                                                const machine::KernelInfo& info) {
  auto kept = std::make_shared<KernelArguments>();
  kept->bytes = request.parameters;
  for (const machine::KernelParameter& parameter : info.parameters)
    kept->pointers.push_back(kept->bytes.data() + parameter.offset);
  return kept;
}

// The launch that the next one in the stream need not wait for: the newest work, for which no call
// has waited.
std::shared_ptr<LaunchState> launch_ahead(const Stream& stream) {
  if (!stream.capture) return stream.waits_then == process().work.waits() ? stream.last_launch : nullptr;
  const auto tail = stream.capture->tails.find(const_cast<Stream*>(&stream));
  if (tail == stream.capture->tails.end() || tail->second.size() != 1) return nullptr;
  const GraphNode& ahead = *tail->second.front();
  return ahead.link ? ahead.link->state : nullptr;
}

}  // namespace

void fill_cluster(LaunchRequest& request, const machine::KernelInfo& info) {
  if (request.cluster.x != 0) return;
  const Kernel& kernel = *request.kernel;
  if (info.required_cluster[0] != 0) {
    request.cluster = {info.required_cluster[0], std::max(info.required_cluster[1], 1u),
                       std::max(info.required_cluster[2], 1u)};
  } else if (kernel.cluster[0] != 0) {
    request.cluster = {static_cast<unsigned>(kernel.cluster[0]),
                       static_cast<unsigned>(std::max(kernel.cluster[1], 1)),
                       static_cast<unsigned>(std::max(kernel.cluster[2], 1))};
  }
}

warp_model::BlockResources block_resources(const Kernel& kernel, const LoadedKernel& loaded, uint64_t threads,
                                           uint64_t dynamic_shared_bytes) {
  warp_model::BlockResources block;
  block.threads_per_block = static_cast<uint32_t>(threads);
  block.registers_per_thread = loaded.cubin.registers_per_thread;
  block.static_shared_bytes = loaded.static_shared_bytes();
  block.dynamic_shared_bytes = static_cast<uint32_t>(dynamic_shared_bytes);
  block.carveout_percent = kernel.carveout_percent;
  return block;
}

uint32_t max_threads_per_block(const LoadedKernel& kernel, const Device& device) {
  uint32_t most = std::min(kernel.info->max_threads_per_block, device.description->max_threads_per_block);
  if (kernel.cubin.registers_per_thread == 0) return most;
  uint32_t step = device.description->register_granularity;
  uint32_t per_warp = (kernel.cubin.registers_per_thread * 32 + step - 1) / step * step;
  return std::min(most, device.description->registers_per_block / per_warp * 32);
}

uint64_t max_dynamic_shared_bytes(const Kernel& kernel, const LoadedKernel& loaded, const Device& device) {
  if (kernel.max_dynamic_shared_bytes >= 0) return static_cast<uint64_t>(kernel.max_dynamic_shared_bytes);
  uint32_t without_opt_in = device.description->shared_bytes_per_block;
  return without_opt_in - std::min(without_opt_in, loaded.static_shared_bytes());
}

cudaError_t check_configuration(const LaunchRequest& request, const LoadedKernel& kernel,
                                const Device& device) {
  const warp_model::DeviceDescription& description = *device.description;
  if (cudaError_t error = check_shape(request, description); error != cudaSuccess) return error;
  if (cudaError_t error = check_cluster(request, description); error != cudaSuccess) return error;
  if (kernel.info->must_have_cluster && volume(request.cluster) == 0) {
    return refuse(
        cudaErrorInvalidClusterSize,
        fmt::format("{} was not launched: it was compiled with __cluster_dims__() and no size "
                    "(.explicitcluster), and the launch names none; launch it with cudaLaunchKernelEx and "
                    "cudaLaunchAttributeClusterDimension",
                    text::demangled(request.kernel->name)));
  }
  auto name = [&] { return text::demangled(request.kernel->name); };  // for messages only

  uint64_t threads = volume(request.block);
  if (threads > kernel.info->max_threads_per_block) {
    return refuse(
        cudaErrorInvalidValue,
        fmt::format("{} was not launched: {} threads per block, but __launch_bounds__ specified "
                    "at most {}",
                    name(), threads, kernel.info->max_threads_per_block));
  }
  if (threads > (max_threads_per_block(kernel, device) + 31) / 32 * 32) {
    return refuse(
        cudaErrorLaunchOutOfResources,
        fmt::format(
            "{} was not launched: {} threads of {} registers do not fit the {} registers of a block; use "
            "at most {} threads or add __launch_bounds__({})",
            name(), threads, kernel.cubin.registers_per_thread, description.registers_per_block,
            max_threads_per_block(kernel, device), threads));
  }
  uint64_t most_shared = max_dynamic_shared_bytes(*request.kernel, kernel, device);
  if (request.dynamic_shared_bytes > most_shared) {
    return refuse(
        cudaErrorInvalidValue,
        fmt::format("{} was not launched: {} bytes of dynamic shared memory, but {} are allowed; "
                    "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) raises "
                    "this to {}",
                    name(), request.dynamic_shared_bytes, most_shared,
                    description.shared_bytes_per_block_optin -
                        std::min(description.shared_bytes_per_block_optin, kernel.static_shared_bytes())));
  }
  if (request.cooperative) {
    auto resident = warp_model::occupancy(
        description, block_resources(*request.kernel, kernel, threads, request.dynamic_shared_bytes));
    uint64_t most = static_cast<uint64_t>(resident.blocks_per_sm) * description.multiprocessors;
    if (volume(request.grid) > most) {
      return refuse(
          cudaErrorCooperativeLaunchTooLarge,
          fmt::format(
              "{} was not launched: a cooperative grid of {} blocks, but only {} are resident at once ({} "
              "on each of {} SMs)",
              name(), volume(request.grid), most, resident.blocks_per_sm, description.multiprocessors));
    }
  }
  return cudaSuccess;
}

cudaError_t launch(LaunchRequest request, void** arguments, cudaStream_t stream) {
  std::shared_ptr<Stream> target = find_stream(stream);
  if (!target) return cudaErrorInvalidResourceHandle;
  // The stream's device executes the launch, whatever device is current (observed with two H200s).
  Device& device = *process().devices[static_cast<size_t>(target->device)];
  LoadedKernel loaded = request.kernel->binary->load(*request.kernel, device);
  fill_cluster(request, *loaded.info);
  if (cudaError_t error = check_configuration(request, loaded, device); error != cudaSuccess) return error;
  if (!loaded.info->parameters.empty() && !arguments) return cudaErrorInvalidValue;
  copy_arguments(request, *loaded.info, arguments);
  request.on_default_stream =
      stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  if (!target->capture) device.prints.flush();

  GraphNode node;
  node.type = cudaGraphNodeTypeKernel;
  node.kernel = cudaKernelNodeParams{};
  node.kernel->func = request.kernel->host_stub ? const_cast<void*>(request.kernel->host_stub) : request.kernel;
  node.kernel->gridDim = request.grid;
  node.kernel->blockDim = request.block;
  node.kernel->sharedMemBytes = static_cast<unsigned>(request.dynamic_shared_bytes);
  if (target->capture) {
    node.arguments = keep_arguments(request, *loaded.info);
    node.kernel->kernelParams = node.arguments->pointers.data();
  }
  std::lock_guard order(target->order);
  node.link = request.link = std::make_shared<LaunchLink>();
  const std::shared_ptr<LaunchState> state = request.link->state;
  state->is_kept = target->capture != nullptr;
  if (request.may_begin_early) state->before = launch_ahead(*target);
  if (state->before) state->before->is_followed = true;
  node.work = [request = std::move(request), loaded = std::move(loaded), &device] {
    return execute(request, loaded, device);
  };
  const cudaError_t error = submit(stream, std::move(node));
  ++runtime_calls().launches;
  if (!process().settings.launches_block) target->last_launch = state;
  target->waits_then = process().work.waits();
  return error;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, size_t dynamic_shared_bytes,
                   cudaStream_t stream, bool cooperative) {
  LaunchRequest request;
  request.kernel = registry().find_kernel(function);
  if (!request.kernel) return cudaErrorInvalidDeviceFunction;
  request.grid = grid;
  request.block = block;
  request.dynamic_shared_bytes = dynamic_shared_bytes;
  request.cooperative = cooperative;
  return launch(std::move(request), arguments, stream);
}

}  // namespace ridge::runtime
