// Device buffers with guard bands, and the transfer of a case's data.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>
#include <vector>

#include "harness/runner/messages.h"
#include "harness/runner/shared_memory.h"

namespace ridge::runner {

// Memory of a device (by default of the current one) that the destructor frees. At least one byte is
// allocated.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(int64_t bytes);
  DeviceMemory(int64_t bytes, int device);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept : start_(std::exchange(other.start_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(start_, other.start_);
    return *this;
  }
  std::byte* start() const { return static_cast<std::byte*>(start_); }

 private:
  void* start_ = nullptr;
};

// Fills a buffer before a call with its input from the shared memory, with zeros, or with the fill
// pattern.
// `data` is the address after the guard.
void fill_buffer(std::byte* data, const BufferPlan& plan, const SharedMemory& memory);

// The buffers of one call: guard, data, guard in one allocation each.
class BufferSet {
 public:
  BufferSet(std::vector<BufferPlan> plans, const SharedMemory& memory);
  void copy_back(const SharedMemory& memory) const;
  // Enqueues a copy of every output in its device's stream. copy_back then returns these copies: what
  // work that follows in that stream sees of the output.
  void keep_outputs(const std::vector<cudaStream_t>& streams);
  const std::vector<void*>& pointers() const { return pointers_; }

 private:
  std::vector<BufferPlan> plans_;
  std::vector<DeviceMemory> memory_;
  std::vector<void*> pointers_;
  std::vector<DeviceMemory> kept_;  // of written buffers; empty: the outputs themselves are returned
};

}  // namespace ridge::runner
