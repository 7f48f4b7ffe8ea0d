// The baseline that sums with CUB, in the module cub_sum.cu.
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using Version = int();
using RoomBytes = int(const float*, float*, long long, size_t*);
using Sum = int(void*, size_t, const float*, float*, long long, problems::Stream);

class CubSum : public Baseline {
 public:
  explicit CubSum(const std::string& module)
      : library_(Library::open({"CUB", module, "it is part of the CUDA Toolkit's headers"})),
        sum_(library_.function<Sum>("ridge_cub_sum")) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    n_ = work.sizes.at(0);
    stream_ = work.stream;
    expect_success(
        library_.function<RoomBytes>("ridge_cub_sum_bytes")(in(trial), out(trial), n_, &room_bytes_), "CUB",
        "asking how much room a sum needs");
    room_ = DeviceMemory(static_cast<int64_t>(room_bytes_));
    const int version = library_.function<Version>("ridge_cub_version")();
    return {"CUB " + std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
                std::to_string(version % 100),
            "",
            {}};
  }
  void run(const Slot& slot) override {
    expect_success(sum_(room_.start(), room_bytes_, in(slot), out(slot), n_, stream_), "CUB", "the sum");
  }

 private:
  static const float* in(const Slot& slot) { return static_cast<const float*>(slot.pointers[0]); }
  static float* out(const Slot& slot) { return static_cast<float*>(slot.pointers[1]); }
  Library library_;
  Sum* sum_;
  DeviceMemory room_;
  size_t room_bytes_ = 0;
  long long n_ = 0;
  problems::Stream stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Baseline> make_cub_sum(const std::string& module) {
  return std::make_unique<CubSum>(module);
}

}  // namespace ridge::runner
