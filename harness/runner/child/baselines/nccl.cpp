// ncclAllReduce over all GPUs of the machine, from one process. On one GPU it is a copy: that tests
// the code and measures nothing.
#include <cstdlib>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_error.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using Communicator = void*;
using GetVersion = int(int*);
using InitAll = int(Communicator*, int, const int*);
using Group = int();
using AllReduce = int(const void*, void*, size_t, int type, int operation, Communicator, problems::Stream);

constexpr int kFloat32 = 7, kSum = 0;  // ncclDataType_t, ncclRedOp_t

class NcclAllReduce : public Baseline {
 public:
  NcclAllReduce() : library_(open()), all_reduce_(library_.function<AllReduce>("ncclAllReduce")) {
    group_start_ = library_.function<Group>("ncclGroupStart");
    group_end_ = library_.function<Group>("ncclGroupEnd");
  }

  BaselineReport prepare(const Work& work, const Slot&) override {
    int count = 0, version = 0, first = 0;
    check(cudaGetDevice(&first), "finding a device");
    check(cudaGetDeviceCount(&count), "counting the devices");
    expect_success(library_.function<GetVersion>("ncclGetVersion")(&version), "NCCL",
                   "asking for its version");
    elements_ = static_cast<size_t>(work.bytes / 2 / 4);
    communicators_.resize(static_cast<size_t>(count));
    expect_success(library_.function<InitAll>("ncclCommInitAll")(communicators_.data(), count, nullptr),
                   "NCCL", "making communicators");
    for (int device = 0; device < count; ++device) {
      check(cudaSetDevice(device), "choosing a device");
      problems::Stream stream = work.stream;
      if (device != first)
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
      streams_.push_back(stream);
      in_.emplace_back(static_cast<int64_t>(elements_) * 4);
      out_.emplace_back(static_cast<int64_t>(elements_) * 4);
      check(cudaMemset(in_.back().start(), 0x3c + device % 2, elements_ * 4), "filling NCCL's buffer");
    }
    check(cudaSetDevice(first), "choosing a device");
    return {
        "NCCL " + version_text(version, 100) + ", " + std::to_string(count) + (count == 1 ? " GPU" : " GPUs"),
        "",
        {}};
  }
  void run(const Slot&) override {
    expect_success(group_start_(), "NCCL", "ncclGroupStart");
    for (size_t i = 0; i < streams_.size(); ++i)
      expect_success(all_reduce_(in_[i].start(), out_[i].start(), elements_, kFloat32, kSum,
                                 communicators_[i], streams_[i]),
                     "NCCL", "ncclAllReduce");
    expect_success(group_end_(), "NCCL", "ncclGroupEnd");
  }

 private:
  static Library open() {
    setenv("NCCL_NVLS_ENABLE", "0", 1);  // read at the library's first use
    return Library::open(kNccl);
  }
  Library library_;
  AllReduce* all_reduce_;
  Group *group_start_, *group_end_;
  size_t elements_ = 0;
  std::vector<Communicator> communicators_;
  std::vector<problems::Stream> streams_;
  std::vector<DeviceMemory> in_, out_;
};

}  // namespace

std::unique_ptr<Baseline> make_nccl_all_reduce() {
  return std::make_unique<NcclAllReduce>();
}

}  // namespace ridge::runner
