// cuDNN's forward convolution through its graph API, in NHWC as in the problem. The plans of all
// engines that its heuristics name are tried, and the fastest is kept. (Its older API chooses an
// algorithm and leaves out engines that are faster on Hopper.)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "harness/problems/convolution/shape.h"
#include "harness/runner/child/baselines/cudnn_graph.h"
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using cudnn::Data, cudnn::Descriptor, cudnn::Graph;

constexpr int64_t kX = 1, kFilter = 2, kY = 3;  // identifiers of the tensors

class CudnnConvolution : public Baseline {
 public:
  CudnnConvolution() : library_(Library::open(kCudnn)), api_(library_) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    handle_ = api_.make_handle(work.stream);
    const problems::ConvolutionShape s(work.sizes);
    Graph graph(api_);
    const size_t x = graph.add(channels_last(kX, s.n, s.c, s.h, s.w)),
                 filter = graph.add(channels_last(kFilter, s.k, s.c, s.r, s.r)),
                 y = graph.add(channels_last(kY, s.n, s.k, s.p(), s.q()));
    graph.convolve(x, filter, y, s.stride, s.padding);
    plans_ = graph.plans(handle_);
    return choose(work, trial);
  }

  void run(const Slot& slot) override {
    expect_success(api_.execute(handle_, plans_[chosen_].raw(), pack_for(slot).raw()), "cuDNN",
                   "the convolution");
  }

 private:
  static cudnn::Tensor channels_last(int64_t id, int64_t n, int64_t c, int64_t h, int64_t w) {
    return {id, Data::bfloat16, {n, c, h, w}, {h * w * c, 1, w * c, c}, false};
  }

  BaselineReport choose(const Work& work, const Slot& trial) {
    int64_t workspace = 0;
    for (const Descriptor& plan : plans_)
      workspace = std::max(workspace, Graph::workspace_bytes(api_, plan));
    workspace_ = DeviceMemory(workspace);
    BaselineReport report{"cuDNN " + api_.version(), "", {}};
    std::optional<size_t> best;
    double best_ms = 0;
    for (chosen_ = 0; chosen_ < plans_.size(); ++chosen_) {
      const std::optional<double> ms = time_of_chosen(work, trial);
      if (!ms) continue;
      report.trials.push_back({fmt::format("plan {}", chosen_), *ms});
      if (best && *ms >= best_ms) continue;
      best = chosen_;
      best_ms = *ms;
    }
    if (!best) throw std::runtime_error("cuDNN has no engine for this convolution");
    chosen_ = *best;
    report.chosen = fmt::format("plan {}", chosen_);
    return report;
  }

  // nullopt: cuDNN refuses to run a plan that it has built.
  std::optional<double> time_of_chosen(const Work& work, const Slot& trial) {
    try {
      return trial_ms(*this, work, trial);
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
  }

  // One per slot, made at its first use.
  const Descriptor& pack_for(const Slot& slot) {
    const auto found = packs_.find(slot.pointers[0]);
    if (found != packs_.end()) return found->second;
    const std::vector<void*> pointers(slot.pointers.begin(), slot.pointers.begin() + 3);
    return packs_
        .emplace(slot.pointers[0],
                 cudnn::variant_pack(api_, {kX, kFilter, kY}, pointers, workspace_.start()))
        .first->second;
  }

  Library library_;
  cudnn::Api api_;
  cudnn::Handle handle_ = nullptr;
  DeviceMemory workspace_;
  std::vector<Descriptor> plans_;
  size_t chosen_ = 0;
  std::map<void*, Descriptor> packs_;
};

}  // namespace

std::unique_ptr<Baseline> make_cudnn_convolution() {
  return std::make_unique<CudnnConvolution>();
}

}  // namespace ridge::runner
