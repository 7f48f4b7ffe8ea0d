#include "harness/runner/child/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/problems/compare.h"
#include "harness/runner/child/device_error.h"
#include "harness/runner/child/rank_devices.h"

namespace ridge::runner {

namespace {

void fill_with_poison(std::byte* data, int64_t bytes) {
  std::vector<std::byte> pattern(
      static_cast<size_t>(std::min<int64_t>(bytes, 1 << 22)));  // a multiple of the pattern
  for (size_t i = 0; i < pattern.size(); ++i)
    pattern[i] = problems::poison_at(i);
  int64_t filled = static_cast<int64_t>(pattern.size());
  check(cudaMemcpy(data, pattern.data(), pattern.size(), cudaMemcpyHostToDevice), "filling an output");
  for (; filled < bytes; filled += std::min(filled, bytes - filled))  // doubles the filled part
    check(cudaMemcpy(data + filled, data, static_cast<size_t>(std::min(filled, bytes - filled)),
                     cudaMemcpyDeviceToDevice),
          "filling an output");
}

}  // namespace

DeviceMemory::DeviceMemory(int64_t bytes) {
  check(cudaMalloc(&start_, static_cast<size_t>(std::max<int64_t>(bytes, 1))),
        fmt::format("{} bytes of device memory for one buffer", bytes));
}

DeviceMemory::DeviceMemory(int64_t bytes, int device) {
  const OnDevice on(device);
  *this = DeviceMemory(bytes);
}

DeviceMemory::~DeviceMemory() {
  if (start_) cudaFree(start_);
}

void fill_buffer(std::byte* data, const BufferPlan& plan, const SharedMemory& memory) {
  const OnDevice on(plan.device);
  if (plan.zeroed) {
    check(cudaMemset(data, 0, static_cast<size_t>(plan.bytes)), "clearing a signal area");
    return;
  }
  if (!plan.read) {
    fill_with_poison(data, plan.bytes);
    return;
  }
  const std::span<std::byte> input = memory.at(plan.in_offset, plan.bytes);
  check(cudaMemcpy(data, input.data(), input.size(), cudaMemcpyHostToDevice),
        "copying an input to the device");
  // The student's host code could compute from what is left here.
  std::fill(input.begin(), input.end(), std::byte{0});
}

BufferSet::BufferSet(std::vector<BufferPlan> plans, const SharedMemory& memory) : plans_(std::move(plans)) {
  for (const BufferPlan& plan : plans_) {
    const OnDevice on(plan.device);
    DeviceMemory& made = memory_.emplace_back(plan.bytes + 2 * plan.guard);
    std::byte* data = made.start() + plan.guard;
    pointers_.push_back(data);
    if (plan.guard > 0) {
      check(cudaMemset(made.start(), kGuardByte, static_cast<size_t>(plan.guard)), "filling a guard band");
      check(cudaMemset(data + plan.bytes, kGuardByte, static_cast<size_t>(plan.guard)),
            "filling a guard band");
    }
    fill_buffer(data, plan, memory);
  }
}

void BufferSet::copy_back(const SharedMemory& memory) const {
  for (size_t i = 0; i < plans_.size(); ++i) {
    const BufferPlan& plan = plans_[i];
    const OnDevice on(plan.device);
    int64_t bytes = plan.bytes + 2 * plan.guard;
    check(cudaMemcpy(memory.at(plan.out_offset, bytes).data(), memory_[i].start(), static_cast<size_t>(bytes),
                     cudaMemcpyDeviceToHost),
          "copying a result back", "run");
    if (kept_.empty() || !plan.written) continue;
    check(cudaMemcpy(memory.at(plan.out_offset + plan.guard, plan.bytes).data(), kept_[i].start(),
                     static_cast<size_t>(plan.bytes), cudaMemcpyDeviceToHost),
          "copying a result back", "run");
  }
}

void BufferSet::keep_outputs(const std::vector<cudaStream_t>& streams) {
  for (size_t i = 0; i < plans_.size(); ++i) {
    const BufferPlan& plan = plans_[i];
    const OnDevice on(plan.device);
    kept_.emplace_back(plan.written ? plan.bytes : 1);
    if (!plan.written) continue;
    check(cudaMemcpyAsync(kept_.back().start(), pointers_[i], static_cast<size_t>(plan.bytes),
                          cudaMemcpyDeviceToDevice, streams.at(static_cast<size_t>(plan.device))),
          "copying an output", "run");
  }
}

}  // namespace ridge::runner
