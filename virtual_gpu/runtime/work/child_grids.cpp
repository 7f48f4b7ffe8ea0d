#include "virtual_gpu/runtime/work/child_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "text/demangled.h"
#include "virtual_gpu/runtime/work/execute.h"
#include "virtual_gpu/runtime/work/graph_conditional.h"
#include "virtual_gpu/runtime/binary/load_error.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {
namespace {

constexpr unsigned kDeepest = 24;    // the maximum nesting depth in the programming guide
constexpr uint64_t kTailLaunch = 3;  // cudaStreamTailLaunch

dim3 to_runtime(const machine::Dim3& d) {
  return {d.x, d.y, d.z};
}

}  // namespace

ChildGrids::~ChildGrids() {
  for (const auto& [address, grid] : prepared_)
    process().memory.release(address);
}

uint64_t ChildGrids::refuse(const Thread& thread, cudaError_t error) {
  errors_[thread] = error;
  return 0;
}

uint64_t ChildGrids::prepare(const machine::ChildLaunch& child) {
  const std::lock_guard lock(mutex_);
  const Thread thread{child.parent_block, child.parent_thread};
  const ptx::Function* function = machine::function_at(*binary_.image(device_).module, child.function);
  if (function == nullptr || !function->is_entry) return refuse(thread, cudaErrorInvalidDeviceFunction);
  if (depth_ + 1 > kDeepest) {
    say(fmt::format(
        "{} was not launched: kernels that launch kernels may do so {} deep, and it would be one more",
        text::demangled(function->name), kDeepest));
    return refuse(thread, cudaErrorLaunchMaxDepthExceeded);
  }
  Grid grid;
  grid.parent = thread;
  grid.request.kernel = binary_.kernel(function->name);
  grid.request.grid = to_runtime(child.grid);
  grid.request.block = to_runtime(child.block);
  grid.request.dynamic_shared_bytes = child.dynamic_shared_bytes;
  try {
    grid.kernel = binary_.load(*grid.request.kernel, device_);
  } catch (const LoadError& error) {
    say(error.what());
    return refuse(thread, cudaErrorInvalidDeviceFunction);
  }
  fill_cluster(grid.request, *grid.kernel.info);
  if (const cudaError_t error = check_configuration(grid.request, grid.kernel, device_); error != cudaSuccess)
    return refuse(thread, error);
  const auto address = process().memory.allocate(std::max<uint64_t>(grid.kernel.info->parameter_bytes, 1),
                                                 "arguments of a launch in a kernel", false,
                                                 static_cast<unsigned>(device_.ordinal));
  if (!address) return refuse(thread, cudaErrorLaunchOutOfResources);
  prepared_.emplace(*address, std::move(grid));
  return *address;
}

int ChildGrids::launch(uint64_t arguments, uint64_t stream) {
  const std::lock_guard lock(mutex_);
  const auto found = prepared_.find(arguments);
  if (found == prepared_.end()) return cudaErrorInvalidValue;
  Grid grid = std::move(found->second);
  prepared_.erase(found);
  grid.order = launched_.size();
  grid.is_tail = stream == kTailLaunch;
  grid.request.parameters.resize(grid.kernel.info->parameter_bytes);
  std::memcpy(grid.request.parameters.data(), reinterpret_cast<const void*>(arguments),
              grid.request.parameters.size());
  process().memory.release(arguments);
  launched_.push_back(std::move(grid));
  return cudaSuccess;
}

// Kept until the process ends, like the strings of the host functions.
uint64_t ChildGrids::error_text(int error, bool is_name) {
  static std::mutex mutex;
  static auto* texts = new std::map<std::tuple<int, int, bool>, uint64_t>();
  const std::lock_guard lock(mutex);
  uint64_t& address = (*texts)[{device_.ordinal, error, is_name}];
  if (address != 0) return address;
  const auto code = static_cast<cudaError_t>(error);
  const std::string_view text = is_name ? error_name(code) : error_description(code);
  address = process()
                .memory.allocate(text.size() + 1, "the text of an error", false,
                                 static_cast<unsigned>(device_.ordinal))
                .value_or(0);
  if (address == 0) return 0;
  std::memcpy(reinterpret_cast<void*>(address), text.data(), text.size());
  reinterpret_cast<char*>(address)[text.size()] = '\0';
  process().memory.record_written(address, text.size() + 1);
  return address;
}

int ChildGrids::device_count() const {
  return static_cast<int>(process().devices.size());
}

void ChildGrids::set_conditional(uint64_t handle, uint32_t value) {
  if (const auto condition = find_condition(handle)) condition->value = value;
}

int ChildGrids::last_error(uint64_t block, uint32_t thread, bool forget) {
  const std::lock_guard lock(mutex_);
  const auto found = errors_.find({block, thread});
  if (found == errors_.end()) return cudaSuccess;
  const cudaError_t error = found->second;
  if (forget) errors_.erase(found);
  return error;
}

cudaError_t ChildGrids::execute_all() {
  // The blocks of several host threads ran in arbitrary order; sort by block, then by the order
  // within it.
  std::sort(launched_.begin(), launched_.end(), [](const Grid& a, const Grid& b) {
    return std::tuple(a.is_tail, a.parent.first, a.order) <
           std::tuple(b.is_tail, b.parent.first, b.order);
  });
  for (const Grid& grid : launched_) {
    const cudaError_t error = execute(grid.request, grid.kernel, device_, depth_ + 1);
    if (error != cudaSuccess || device_.fault != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace ridge::runtime
