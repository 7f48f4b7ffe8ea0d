#include "harness/runner/child/rank_devices.h"

#include <fmt/format.h>

#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

void let_access(int device, int peer) {
  const OnDevice on(device);
  const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
    return;
  }
  check(code, fmt::format("letting device {} access the memory of device {}", device, peer));
}

}  // namespace

OnDevice::OnDevice(int device) {
  check(cudaGetDevice(&before_), "finding the device");
  if (device != before_) check(cudaSetDevice(device), fmt::format("choosing device {}", device));
}

OnDevice::~OnDevice() {
  cudaSetDevice(before_);
}

void RankDevices::open(int count, cudaStream_t first) {
  if (streams_.empty()) streams_.push_back(first);
  for (int device = static_cast<int>(streams_.size()); device < count; ++device) {
    const OnDevice on(device);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    streams_.push_back(stream);
    for (int peer = 0; peer < device; ++peer) {
      let_access(device, peer);
      let_access(peer, device);
    }
  }
}

std::vector<cudaStream_t> RankDevices::streams(int count) const {
  return {streams_.begin(), streams_.begin() + count};
}

void synchronize_devices(int count) {
  cudaError_t first = cudaSuccess;
  for (int device = 0; device < count; ++device) {
    check(cudaSetDevice(device), "choosing a device");
    const cudaError_t code = cudaDeviceSynchronize();
    if (first == cudaSuccess) first = code;
  }
  check(cudaSetDevice(0), "choosing a device");
  check(first, "the kernel failed", "run");
}

}  // namespace ridge::runner
