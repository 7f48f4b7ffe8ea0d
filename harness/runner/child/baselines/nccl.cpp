// Collectives of NCCL from one process, with buffers of their own. A problem on several devices gives
// their number and streams; the work is then captured once and launched as a graph. For any other
// problem it is ncclAllReduce over all GPUs of the machine: on one GPU a copy, which tests the code
// and measures nothing.
#include <cstdlib>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_error.h"
#include "harness/runner/child/device_memory.h"
#include "harness/runner/child/rank_devices.h"

namespace ridge::runner {

namespace {

using Communicator = void*;
using GetVersion = int(int*);
using InitAll = int(Communicator*, int, const int*);
using Group = int();
using AllReduce = int(const void*, void*, size_t, int type, int operation, Communicator,
                      problems::Stream);
using AllGather = int(const void*, void*, size_t, int type, Communicator, problems::Stream);
using ReduceScatter = AllReduce;

constexpr int kFloat32 = 7, kSum = 0;  // ncclDataType_t, ncclRedOp_t

class Nccl : public Baseline {
 public:
  explicit Nccl(NcclWork kind) : kind_(kind), library_(open()) {
    group_start_ = library_.function<Group>("ncclGroupStart");
    group_end_ = library_.function<Group>("ncclGroupEnd");
    all_reduce_ = library_.function<AllReduce>("ncclAllReduce");
    all_gather_ = library_.function<AllGather>("ncclAllGather");
    reduce_scatter_ = library_.function<ReduceScatter>("ncclReduceScatter");
  }
  ~Nccl() override {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  BaselineReport prepare(const Work& work, const Slot&) override {
    int count = static_cast<int>(work.streams.size()), version = 0;
    if (!work.on_ranks()) check(cudaGetDeviceCount(&count), "counting the devices");
    elements_ = work.on_ranks() ? static_cast<size_t>(work.sizes.at(1))
                                : static_cast<size_t>(work.bytes / 2 / 4);
    expect_success(library_.function<GetVersion>("ncclGetVersion")(&version), "NCCL",
                   "asking for its version");
    communicators_.resize(static_cast<size_t>(count));
    expect_success(
        library_.function<InitAll>("ncclCommInitAll")(communicators_.data(), count, nullptr),
        "NCCL", "making communicators");
    const auto ranks = static_cast<int64_t>(count);
    const int64_t bytes =
        static_cast<int64_t>(elements_) * 4 * (kind_ == NcclWork::all_reduce ? 1 : ranks + 1);
    for (int device = 0; device < count; ++device) {
      const OnDevice on(device);
      problems::Stream stream = device == 0 ? work.stream : nullptr;
      if (work.on_ranks())
        stream = work.streams[static_cast<size_t>(device)];
      else if (device > 0)
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
      streams_.push_back(stream);
      in_.emplace_back(bytes);
      out_.emplace_back(bytes);
      check(cudaMemset(in_.back().start(), 0x3c + device % 2, static_cast<size_t>(bytes)),
            "filling NCCL's buffer");
      check(cudaDeviceSynchronize(), "filling NCCL's buffer");
    }
    if (work.on_ranks()) capture();
    return {"NCCL " + version_text(version, 100) + ", " + std::to_string(count) +
                (count == 1 ? " GPU" : " GPUs"),
            "",
            {}};
  }
  void run(const Slot&) override {
    if (graph_)
      check(cudaGraphLaunch(graph_, streams_.front()), "launching NCCL's graph");
    else
      enqueue();
  }

 private:
  static Library open() {
    setenv("NCCL_NVLS_ENABLE", "0", 1);  // read at the library's first use
    return Library::open(kNccl);
  }

  void enqueue() {
    expect_success(group_start_(), "NCCL", "ncclGroupStart");
    for (size_t i = 0; i < streams_.size(); ++i) {
      std::byte *in = in_[i].start(), *out = out_[i].start();
      if (kind_ == NcclWork::all_reduce) {
        expect_success(
            all_reduce_(in, out, elements_, kFloat32, kSum, communicators_[i], streams_[i]), "NCCL",
            "ncclAllReduce");
        continue;
      }
      // Each buffer has room for a rank's share, and behind it for those of all ranks.
      const size_t behind = 4 * elements_;
      expect_success(
          all_gather_(in, out + behind, elements_, kFloat32, communicators_[i], streams_[i]),
          "NCCL", "ncclAllGather");
      expect_success(reduce_scatter_(in + behind, out, elements_, kFloat32, kSum, communicators_[i],
                                     streams_[i]),
                     "NCCL", "ncclReduceScatter");
    }
    expect_success(group_end_(), "NCCL", "ncclGroupEnd");
  }

  // The other streams are forked from the first one, and joined again.
  void capture() {
    enqueue();  // NCCL allocates in its first calls, which a capture does not allow
    synchronize_devices(static_cast<int>(streams_.size()));
    std::vector<cudaEvent_t> events;
    for (size_t i = 0; i < streams_.size(); ++i) {
      const OnDevice on(static_cast<int>(i));
      check(cudaEventCreateWithFlags(&events.emplace_back(), cudaEventDisableTiming),
            "making an event");
    }
    check(cudaStreamBeginCapture(streams_.front(), cudaStreamCaptureModeThreadLocal),
          "capturing NCCL");
    check(cudaEventRecord(events.front(), streams_.front()), "capturing NCCL");
    for (size_t i = 1; i < streams_.size(); ++i)
      check(cudaStreamWaitEvent(streams_[i], events.front(), 0), "capturing NCCL");
    enqueue();
    for (size_t i = 1; i < streams_.size(); ++i) {
      const OnDevice on(static_cast<int>(i));
      check(cudaEventRecord(events[i], streams_[i]), "capturing NCCL");
      check(cudaStreamWaitEvent(streams_.front(), events[i], 0), "capturing NCCL");
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(streams_.front(), &graph), "capturing NCCL");
    check(cudaGraphInstantiate(&graph_, graph, 0), "capturing NCCL");
    cudaGraphDestroy(graph);
    for (cudaEvent_t event : events)
      cudaEventDestroy(event);
  }

  NcclWork kind_;
  Library library_;
  AllReduce* all_reduce_ = nullptr;
  AllGather* all_gather_ = nullptr;
  ReduceScatter* reduce_scatter_ = nullptr;
  Group *group_start_ = nullptr, *group_end_ = nullptr;
  size_t elements_ = 0;
  std::vector<Communicator> communicators_;
  std::vector<problems::Stream> streams_;
  std::vector<DeviceMemory> in_, out_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

std::unique_ptr<Baseline> make_nccl(NcclWork work) {
  return std::make_unique<Nccl>(work);
}

}  // namespace ridge::runner
