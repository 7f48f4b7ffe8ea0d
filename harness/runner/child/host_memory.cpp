#include "harness/runner/child/host_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "harness/problems/compare.h"
#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

constexpr size_t kAlignment = 256;  // as that of device memory

std::byte* allocate(size_t bytes, bool page_locked) {
  void* made = nullptr;
  if (page_locked)
    check(cudaMallocHost(&made, bytes), "page-locked memory for one buffer");
  else if ((made = std::aligned_alloc(
                kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment)) == nullptr)
    throw std::bad_alloc();
  return static_cast<std::byte*>(made);
}

}  // namespace

HostBufferSet::HostBufferSet(std::vector<BufferPlan> plans, bool page_locked,
                             const SharedMemory& memory)
    : plans_(std::move(plans)), page_locked_(page_locked) {
  for (const BufferPlan& plan : plans_) {
    const auto guard = static_cast<size_t>(plan.guard), bytes = static_cast<size_t>(plan.bytes);
    std::byte* start =
        starts_.emplace_back(allocate(std::max<size_t>(bytes + 2 * guard, 1), page_locked_));
    std::byte* data = start + guard;
    pointers_.push_back(data);
    std::memset(start, kGuardByte, guard);
    std::memset(data + bytes, kGuardByte, guard);
    if (!plan.read) {
      for (size_t i = 0; i < bytes; ++i)
        data[i] = problems::poison_at(i);
      continue;
    }
    const std::span<std::byte> input = memory.at(plan.in_offset, plan.bytes);
    std::copy(input.begin(), input.end(), data);
    std::fill(input.begin(), input.end(), std::byte{0});
  }
}

HostBufferSet::~HostBufferSet() {
  for (std::byte* start : starts_) {
    if (page_locked_)
      cudaFreeHost(start);
    else
      std::free(start);
  }
}

void HostBufferSet::copy_back(const SharedMemory& memory) const {
  for (size_t i = 0; i < plans_.size(); ++i) {
    const int64_t bytes = plans_[i].bytes + 2 * plans_[i].guard;
    std::memcpy(memory.at(plans_[i].out_offset, bytes).data(), starts_[i],
                static_cast<size_t>(bytes));
  }
}

bool HostBufferSet::is_output(uint64_t address) const {
  for (size_t i = 0; i < plans_.size(); ++i) {
    const auto first = reinterpret_cast<uint64_t>(pointers_[i]);
    if (plans_[i].written && address >= first &&
        address < first + static_cast<uint64_t>(plans_[i].bytes))
      return true;
  }
  return false;
}

}  // namespace ridge::runner
