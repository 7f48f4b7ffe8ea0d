// A baseline that calls CUB on a problem's buffers: the module exports ridge_NAME, and ridge_NAME_bytes
// for the room that it needs.
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using CubVersion = int();
using CubBytes = int(void* const*, const int64_t*, size_t*);
using CubCall = int(void*, size_t, void* const*, const int64_t*, problems::Stream);

class CubKernel : public Baseline {
 public:
  CubKernel(const std::string& name, const std::string& module)
      : name_(name),
        library_(Library::open({"CUB", module, "it is part of the CUDA Toolkit's headers"})),
        call_(library_.function<CubCall>(("ridge_" + name).c_str())) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    work_ = work;
    const auto bytes = library_.function<CubBytes>(("ridge_" + name_ + "_bytes").c_str());
    expect_success(bytes(trial.pointers.data(), work_.sizes.data(), &room_bytes_), "CUB",
                   "asking how much room " + name_ + " needs");
    room_ = DeviceMemory(static_cast<int64_t>(room_bytes_));
    const int version = library_.function<CubVersion>("ridge_cub_version")();
    return {"CUB " + std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) +
                "." + std::to_string(version % 100),
            "",
            {}};
  }
  void run(const Slot& slot) override {
    expect_success(
        call_(room_.start(), room_bytes_, slot.pointers.data(), work_.sizes.data(), work_.stream),
        "CUB", name_);
  }

 private:
  const std::string name_;
  Library library_;
  CubCall* call_;
  DeviceMemory room_;
  size_t room_bytes_ = 0;
  Work work_;
};

}  // namespace

std::unique_ptr<Baseline> make_cub_kernel(const std::string& name, const std::string& module) {
  return std::make_unique<CubKernel>(name, module);
}

}  // namespace ridge::runner
