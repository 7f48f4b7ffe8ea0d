// cudaMemcpyAsync of half the bytes that the problem moves: a copy reads and writes each byte once.
#include <algorithm>

#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

class DeviceCopy : public Baseline {
 public:
  // Copies from the slot's first half to its second: mostly random inputs, as the student's
  // function reads.
  int64_t slot_bytes(const Work& work) const override { return 2 * aligned_half(work); }
  BaselineReport prepare(const Work& work, const Slot&) override {
    half_ = aligned_half(work);
    bytes_ = std::max<int64_t>(work.bytes / 2, 1);
    stream_ = work.stream;
    return {"CUDA runtime", "", {}};
  }
  void run(const Slot& slot) override {
    check(cudaMemcpyAsync(slot.start + half_, slot.start, static_cast<size_t>(bytes_),
                          cudaMemcpyDeviceToDevice, stream_),
          "the baseline's copy");
  }

 private:
  static int64_t aligned_half(const Work& work) {
    return (std::max<int64_t>(work.bytes / 2, 1) + 511) / 512 * 512;
  }
  int64_t half_ = 0, bytes_ = 0;
  problems::Stream stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Baseline> make_device_copy() {
  return std::make_unique<DeviceCopy>();
}

}  // namespace ridge::runner
