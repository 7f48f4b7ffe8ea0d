// Collectives of NCCL from one process, with buffers of their own. A problem on several devices gives
// their number and streams; a call is then captured once and launched as a graph, unless a row of calls is. For any other
// problem it is ncclAllReduce over all GPUs of the machine: on one GPU a copy, which tests the code
// and measures nothing.
#include <cstdlib>
#include <stdexcept>

#include "harness/problems/collectives/token_counts.h"
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/baselines/rank_products.h"
#include "harness/runner/child/device_error.h"
#include "harness/runner/child/device_memory.h"
#include "harness/runner/child/rank_devices.h"
#include "harness/runner/child/row_graph.h"

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
using Exchange = int(const void*, size_t, int type, int peer, Communicator, problems::Stream);

constexpr int kFloat32 = 7, kBfloat16 = 9, kSum = 0;  // ncclDataType_t, ncclRedOp_t
constexpr int kSystemError = 2;                          // ncclResult_t

class Nccl : public Baseline {
 public:
  explicit Nccl(NcclWork kind) : kind_(kind), library_(open()) {
    group_start_ = library_.function<Group>("ncclGroupStart");
    group_end_ = library_.function<Group>("ncclGroupEnd");
    all_reduce_ = library_.function<AllReduce>("ncclAllReduce");
    all_gather_ = library_.function<AllGather>("ncclAllGather");
    reduce_scatter_ = library_.function<ReduceScatter>("ncclReduceScatter");
    send_ = library_.function<Exchange>("ncclSend");
    receive_ = library_.function<Exchange>("ncclRecv");
  }

  BaselineReport prepare(const Work& work, const Slot&) override {
    int count = static_cast<int>(work.streams.size()), version = 0;
    if (!work.on_ranks()) check(cudaGetDeviceCount(&count), "counting the devices");
    elements_ = work.on_ranks() ? static_cast<size_t>(work.sizes.at(1))
                                : static_cast<size_t>(work.bytes / 2 / 4);
    expect_success(library_.function<GetVersion>("ncclGetVersion")(&version), "NCCL",
                   "asking for its version");
    communicators_.resize(static_cast<size_t>(count));
    const int made =
        library_.function<InitAll>("ncclCommInitAll")(communicators_.data(), count, nullptr);
    expect_success(made, "NCCL",
                   made == kSystemError ? "making communicators: it needs the loopback network, which of "
                                          "the sandboxes only bubblewrap has (install bubblewrap, or "
                                          "set RIDGE_SANDBOX=none)"
                                        : "making communicators");
    sizes_ = work.sizes;
    if (kind_ == NcclWork::all_reduce && sizes_.size() > 2 && sizes_[2] == 2) type_ = kBfloat16;
    const int64_t bytes = buffer_bytes(count);
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
    if (kind_ == NcclWork::gemm_reduce_scatter)
      products_ = std::make_unique<RankProducts>(work);
    if (work.on_ranks()) {
      enqueue();  // NCCL allocates in its first calls, which a capture does not allow
      synchronize_devices(count);
      // A row of calls is captured as a whole, like the student's.
      if (!products_ && work.in_a_row == 1) capture();
    }
    return {"NCCL " + version_text(version, 100) + ", " + std::to_string(count) +
                (count == 1 ? " GPU" : " GPUs"),
            "",
            {}};
  }
  void run(const Slot& slot) override {
    if (products_) {
      std::vector<void*> results;
      for (const DeviceMemory& partial : in_)
        results.push_back(partial.start());
      products_->enqueue(slot, results);
    }
    if (call_)
      call_->launch();
    else
      enqueue();
  }

 private:
  static Library open() {
    setenv("NCCL_NVLS_ENABLE", "0", 1);  // read at the library's first use
    return Library::open(kNccl);
  }

  // The bytes of each device's input, and those of its output.
  int64_t buffer_bytes(int64_t ranks) const {
    const auto elements = static_cast<int64_t>(elements_);
    switch (kind_) {
      case NcclWork::all_reduce:
        return elements * 4;
      case NcclWork::all_gather_reduce_scatter:
        return elements * 4 * (ranks + 1);
      case NcclWork::all_to_all:  // both ways, each with up to all rows of all ranks
        return 2 * ranks * sizes_.at(1) * sizes_.at(2) * 4;
      case NcclWork::gemm_reduce_scatter:
        return ranks * sizes_.at(1) * sizes_.at(2) * 2;
    }
    return 0;
  }

  // All tokens of rank `own`, and the results of the tokens that it got: sends and receives of rows.
  void exchange(size_t own) {
    const auto rank = static_cast<int64_t>(own), ranks = static_cast<int64_t>(streams_.size());
    const int64_t row = 4 * sizes_.at(2), half = ranks * sizes_.at(1) * row;
    int64_t token = 0, got = 0;  // rows so far, by their receiver and by their sender
    for (int64_t peer = 0; peer < ranks; ++peer) {
      const int64_t out = problems::tokens_between(sizes_, rank, peer),
                    back = problems::tokens_between(sizes_, peer, rank);
      const auto send = [&](int64_t first, int64_t rows) {
        expect_success(send_(in_[own].start() + first, static_cast<size_t>(rows * row / 4), kFloat32,
                             static_cast<int>(peer), communicators_[own], streams_[own]),
                       "NCCL", "ncclSend");
      };
      const auto receive = [&](int64_t first, int64_t rows) {
        expect_success(receive_(out_[own].start() + first, static_cast<size_t>(rows * row / 4), kFloat32,
                                static_cast<int>(peer), communicators_[own], streams_[own]),
                       "NCCL", "ncclRecv");
      };
      send(token * row, out);
      receive(got * row, back);
      send(half + got * row, back);
      receive(half + token * row, out);
      token += out;
      got += back;
    }
  }

  void enqueue() {
    expect_success(group_start_(), "NCCL", "ncclGroupStart");
    for (size_t i = 0; i < streams_.size(); ++i) {
      std::byte *in = in_[i].start(), *out = out_[i].start();
      if (kind_ == NcclWork::all_to_all) {
        exchange(i);
        continue;
      }
      if (kind_ == NcclWork::gemm_reduce_scatter) {
        const auto elements = static_cast<size_t>(sizes_.at(1) * sizes_.at(2));
        expect_success(
            reduce_scatter_(in, out, elements, kBfloat16, kSum, communicators_[i], streams_[i]),
            "NCCL", "ncclReduceScatter");
        continue;
      }
      if (kind_ == NcclWork::all_reduce) {
        expect_success(
            all_reduce_(in, out, elements_, type_, kSum, communicators_[i], streams_[i]), "NCCL",
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

  void capture() {
    std::string why_not;
    call_ = RowGraph::capture(streams_, [&] { enqueue(); }, why_not);
    if (!call_) throw std::runtime_error("NCCL: its calls could not be captured: " + why_not);
  }

  NcclWork kind_;
  Library library_;
  AllReduce* all_reduce_ = nullptr;
  AllGather* all_gather_ = nullptr;
  ReduceScatter* reduce_scatter_ = nullptr;
  Exchange *send_ = nullptr, *receive_ = nullptr;
  Group *group_start_ = nullptr, *group_end_ = nullptr;
  size_t elements_ = 0;
  int type_ = kFloat32;
  problems::Sizes sizes_;
  std::unique_ptr<RankProducts> products_;  // that come before the collective
  std::vector<Communicator> communicators_;
  std::vector<problems::Stream> streams_;
  std::vector<DeviceMemory> in_, out_;
  std::optional<RowGraph> call_;
};

}  // namespace

std::unique_ptr<Baseline> make_nccl(NcclWork work) {
  return std::make_unique<Nccl>(work);
}

}  // namespace ridge::runner
