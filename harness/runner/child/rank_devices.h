// The devices of a function that works on several of them: one stream each, and access to each
// other's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

namespace ridge::runner {

// Makes a device the current one during its lifetime.
class OnDevice {
 public:
  explicit OnDevice(int device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

class RankDevices {
 public:
  // Opens devices 0 .. count - 1 that are not open yet: a stream each (the first one's is `first`),
  // and peer access in both directions. Throws DeviceError if there are fewer devices.
  void open(int count, cudaStream_t first);
  // The streams of the first `count` devices.
  std::vector<cudaStream_t> streams(int count) const;

 private:
  std::vector<cudaStream_t> streams_;
};

// Waits for the first `count` devices; the first error, as of the student's work. Device 0 is the
// current one afterwards.
void synchronize_devices(int count);

}  // namespace ridge::runner
