// cuDNN's fused attention through its graph API: two matrix products with a softmax between them,
// described as a graph that one of its engines computes in a single kernel. The layout is the
// problem's, and the fastest plan of those that its heuristics name is kept. A ragged batch is
// compared with as many operations on sequences of equal length.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "harness/problems/attention/attention.h"
#include "harness/runner/child/baselines/cudnn_graph.h"
#include "harness/runner/child/baselines/equal_lengths.h"
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using cudnn::Data, cudnn::Descriptor, cudnn::Graph, cudnn::Pointwise, cudnn::Reduction;

// Identifiers of the tensors that an execution gives pointers for.
constexpr int64_t kQ = 1, kK = 2, kV = 3, kOut = 4, kScale = 5, kHidden = 6;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

class CudnnAttention : public Baseline {
 public:
  CudnnAttention() : library_(Library::open(kCudnn)), api_(library_) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    if (work.problem->id != "varlen_attention") return prepare_attention(work, trial);
    equal_ = with_equal_lengths(work, trial);
    return prepare_attention(equal_->work, equal_->slot);
  }

  void run(const Slot& slot) override {
    const Slot& with = equal_ ? equal_->slot : slot;
    expect_success(api_.execute(handle_, plans_[chosen_].raw(), pack_for(with).raw()), "cuDNN",
                   "the attention");
  }

 private:
  BaselineReport prepare_attention(const Work& work, const Slot& trial) {
    handle_ = api_.make_handle(work.stream);
    const problems::AttentionShape shape(work.sizes);
    if (shape.causal && shape.queries != shape.keys)
      throw std::runtime_error(
          "cuDNN's causal mask is compared at equal numbers of queries and keys only");
    scale_ = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d)));
    causal_ = shape.causal;
    Graph graph(api_);
    describe(graph, shape);
    std::vector<Descriptor> plans = graph.plans(handle_);
    if (plans.empty()) throw std::runtime_error("cuDNN has no engine for this attention");
    return choose(std::move(plans), work, trial);
  }

  // [heads][rows][d] in cuDNN's four dimensions, of a batch of 1.
  static cudnn::Tensor matrix(int64_t id, int64_t heads, int64_t rows, int64_t d) {
    return {id, Data::bfloat16, {1, heads, rows, d}, {heads * rows * d, rows * d, d, 1}, false};
  }
  static cudnn::Tensor number(int64_t id) {
    return {id, Data::float32, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true};
  }

  // softmax(q k^T * scale [causal]) v. The transposed keys are the same bytes with d and keys
  // exchanged. An engine recognises the whole pattern, so its steps are those that NVIDIA's own
  // frontend makes, the logarithm of the row sums included.
  void describe(Graph& graph, const problems::AttentionShape& s) const {
    const std::vector<int64_t> table = {1, s.heads, s.queries, s.keys},
                               column = {1, s.heads, s.queries, 1};
    const size_t q = graph.add(matrix(kQ, s.heads, s.queries, s.d)),
                 v = graph.add(matrix(kV, s.heads, s.keys, s.d)),
                 out = graph.add(matrix(kOut, s.heads, s.queries, s.d));
    const size_t k = graph.add({kK,
                                Data::bfloat16,
                                {1, s.heads, s.d, s.keys},
                                {s.heads * s.keys * s.d, s.keys * s.d, 1, s.d},
                                false});
    const auto between = [&](const std::vector<int64_t>& extent) {
      return graph.add_virtual(Data::float32, extent);
    };
    const size_t products = between(table), logits = between(table);
    graph.matmul(q, k, products);
    graph.pointwise(Pointwise::multiply, {products, graph.add(number(kScale))}, logits);
    const size_t masked = s.causal ? hide_future(graph, logits, table) : logits;

    const size_t largest = between(column), below = between(table), weights = between(table),
                 sum = between(column), log_sum = between(column), statistics = between(column);
    const size_t shares = graph.add_virtual(Data::bfloat16, table);
    graph.reduce(Reduction::maximum, masked, largest);
    graph.pointwise(Pointwise::subtract, {masked, largest}, below);
    graph.pointwise(Pointwise::exponential, {below}, weights);
    graph.reduce(Reduction::add, weights, sum);
    graph.pointwise(Pointwise::logarithm, {sum}, log_sum);
    graph.pointwise(Pointwise::add, {largest, log_sum}, statistics);
    graph.pointwise(Pointwise::divide, {weights, sum}, shares);
    graph.matmul(shares, v, out);
  }

  // Minus infinity where the key comes after the query.
  static size_t hide_future(Graph& graph, size_t logits, const std::vector<int64_t>& table) {
    constexpr int kQueries = 2, kKeys = 3;
    const size_t row = graph.add_virtual(Data::int32, table),
                 key = graph.add_virtual(Data::int32, table),
                 seen = graph.add_virtual(Data::boolean, table),
                 masked = graph.add_virtual(Data::float32, table);
    graph.index_along(kQueries, logits, row);
    graph.index_along(kKeys, logits, key);
    graph.pointwise(Pointwise::greater_or_equal, {row, key}, seen, Data::boolean);
    graph.pointwise(Pointwise::select, {logits, graph.add(number(kHidden)), seen}, masked);
    return masked;
  }

  BaselineReport choose(std::vector<Descriptor> plans, const Work& work, const Slot& trial) {
    int64_t workspace = 0;
    for (const Descriptor& plan : plans)
      workspace = std::max(workspace, Graph::workspace_bytes(api_, plan));
    workspace_ = DeviceMemory(workspace);
    plans_ = std::move(plans);
    BaselineReport report{"cuDNN " + api_.version(), "", {}};
    size_t best = plans_.size();
    double best_ms = 0;
    for (chosen_ = 0; chosen_ < plans_.size(); ++chosen_) {
      const std::optional<double> ms = time_of_chosen(work, trial);
      if (!ms) continue;
      report.trials.push_back({fmt::format("plan {}", chosen_), *ms});
      if (best < plans_.size() && *ms >= best_ms) continue;
      best = chosen_;
      best_ms = *ms;
    }
    if (best == plans_.size())
      throw std::runtime_error("none of cuDNN's plans for this attention runs");
    chosen_ = best;
    report.chosen = fmt::format("plan {}", best);
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
    std::vector<int64_t> ids = {kQ, kK, kV, kOut, kScale};
    std::vector<void*> pointers(slot.pointers.begin(), slot.pointers.begin() + kOut);
    pointers.push_back(&scale_);
    if (causal_) {
      ids.push_back(kHidden);
      pointers.push_back(&hidden_);
    }
    return packs_
        .emplace(slot.pointers[0], cudnn::variant_pack(api_, ids, pointers, workspace_.start()))
        .first->second;
  }

  Library library_;
  cudnn::Api api_;
  cudnn::Handle handle_ = nullptr;
  float scale_ = 0, hidden_ = kMinusInfinity;
  bool causal_ = false;
  std::optional<EqualLengths> equal_;
  DeviceMemory workspace_;
  std::vector<Descriptor> plans_;
  size_t chosen_ = 0;
  std::map<void*, Descriptor> packs_;
};

}  // namespace

std::unique_ptr<Baseline> make_cudnn_attention() {
  return std::make_unique<CudnnAttention>();
}

}  // namespace ridge::runner
