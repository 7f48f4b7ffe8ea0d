// The backward pass of cuDNN's fused attention through its graph API: five matrix products, and the
// steps between them that an engine recognises as one pattern. The layout is the problem's, and the
// fastest plan of those that its heuristics name is kept.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "harness/problems/attention/backward.h"
#include "harness/runner/child/baselines/cudnn_graph.h"
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using cudnn::Data, cudnn::Descriptor, cudnn::Graph, cudnn::Pointwise, cudnn::Reduction;

// Identifiers of the tensors that an execution gives pointers for: first the problem's buffers in
// their order (the logarithms of the sums are cuDNN's statistics), then ours.
constexpr int64_t kQ = 1, kK = 2, kV = 3, kOut = 4, kDout = 5, kStatistics = 6, kDq = 7, kDk = 8,
                  kDv = 9, kOne = 10, kScale = 11, kDelta = 12, kSums = 13, kHidden = 14;
constexpr size_t kBuffers = 9;

class CudnnAttentionBackward : public Baseline {
 public:
  CudnnAttentionBackward() : library_(Library::open(kCudnn)), api_(library_) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    handle_ = api_.make_handle(work.stream);
    const problems::AttentionShape shape(problems::forward_sizes(work.sizes));
    if (shape.causal && shape.queries != shape.keys)
      throw std::runtime_error(
          "cuDNN's causal mask is compared at equal numbers of queries and keys only");
    scale_ = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d)));
    causal_ = shape.causal;
    constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));
    delta_ = DeviceMemory(shape.heads * shape.queries * kFloatBytes);
    sums_ = DeviceMemory(shape.heads * shape.queries * shape.d * kFloatBytes);
    Graph graph(api_);
    describe(graph, shape);
    std::vector<Descriptor> plans = graph.plans(handle_);
    if (plans.empty()) throw std::runtime_error("cuDNN has no engine for this backward pass");
    return choose(std::move(plans), work, trial);
  }

  void run(const Slot& slot) override {
    expect_success(api_.execute(handle_, plans_[chosen_].raw(), pack_for(slot).raw()), "cuDNN",
                   "the backward pass of attention");
  }

 private:
  // [heads][rows][d] in cuDNN's four dimensions, of a batch of 1, and the same bytes transposed.
  static cudnn::Tensor matrix(int64_t id, int64_t heads, int64_t rows, int64_t d,
                              Data data = Data::bfloat16) {
    return {id, data, {1, heads, rows, d}, {heads * rows * d, rows * d, d, 1}, false};
  }
  static cudnn::Tensor transposed(int64_t id, int64_t heads, int64_t rows, int64_t d) {
    return {id, Data::bfloat16, {1, heads, d, rows}, {heads * rows * d, rows * d, 1, d}, false};
  }
  static cudnn::Tensor column(int64_t id, int64_t heads, int64_t rows) {
    return {id, Data::float32, {1, heads, rows, 1}, {heads * rows, rows, 1, 1}, false};
  }
  static cudnn::Tensor number(int64_t id) {
    return {id, Data::float32, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true};
  }

  // The steps and their order are those that NVIDIA's own frontend makes: a product with 1 in the
  // place of dropout, transposed tables as operations, and the sums of dq in float32 in memory.
  void describe(Graph& graph, const problems::AttentionShape& s) const {
    const std::vector<int64_t> table = {1, s.heads, s.queries, s.keys},
                               turned = {1, s.heads, s.keys, s.queries};
    const auto between = [&] { return graph.add_virtual(Data::float32, table); };
    const size_t q = graph.add(matrix(kQ, s.heads, s.queries, s.d)),
                 k = graph.add(transposed(kK, s.heads, s.keys, s.d)),
                 v = graph.add(transposed(kV, s.heads, s.keys, s.d)),
                 out = graph.add(matrix(kOut, s.heads, s.queries, s.d)),
                 dout = graph.add(matrix(kDout, s.heads, s.queries, s.d)),
                 statistics = graph.add(column(kStatistics, s.heads, s.queries)),
                 dq = graph.add(matrix(kDq, s.heads, s.queries, s.d)),
                 dk = graph.add(matrix(kDk, s.heads, s.keys, s.d)),
                 dv = graph.add(matrix(kDv, s.heads, s.keys, s.d)),
                 scale = graph.add(number(kScale));

    const size_t terms = graph.add_virtual(Data::float32, {1, s.heads, s.queries, s.d}),
                 sum = graph.add_virtual(Data::float32, {1, s.heads, s.queries, 1}),
                 delta = graph.add(column(kDelta, s.heads, s.queries));
    graph.pointwise(Pointwise::multiply, {dout, out}, terms);
    graph.reduce(Reduction::add, terms, sum);
    graph.pointwise(Pointwise::multiply, {sum, graph.add(number(kOne))}, delta);

    const size_t products = between(), logits = between(), below = between(), weights = between();
    graph.matmul(q, k, products);
    graph.pointwise(Pointwise::multiply, {products, scale}, logits);
    graph.pointwise(Pointwise::subtract, {logits, statistics}, below);
    const size_t masked = s.causal ? hide_future(graph, below, table) : below;
    graph.pointwise(Pointwise::exponential, {masked}, weights);
    const size_t turned_weights = graph.add_transposed(Data::bfloat16, turned);
    graph.reshape(weights, turned_weights);
    graph.matmul(turned_weights, dout, dv);

    const size_t of_values = between(), less_delta = between(), weighted = between(),
                 ds = graph.add_virtual(Data::bfloat16, table);
    graph.matmul(dout, v, of_values);
    graph.pointwise(Pointwise::subtract, {of_values, delta}, less_delta);
    graph.pointwise(Pointwise::multiply, {less_delta, weights}, weighted);
    graph.pointwise(Pointwise::multiply, {weighted, scale}, ds);
    const size_t turned_ds = graph.add_transposed(Data::bfloat16, turned);
    graph.reshape(ds, turned_ds);
    graph.matmul(turned_ds, q, dk);

    const size_t keys = graph.add_virtual(Data::bfloat16, {1, s.heads, s.keys, s.d}),
                 sums = graph.add(matrix(kSums, s.heads, s.queries, s.d, Data::float32));
    graph.reshape(k, keys);
    graph.matmul(ds, keys, sums);
    graph.pointwise(Pointwise::identity, {sums}, dq);
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
      throw std::runtime_error("none of cuDNN's plans for this backward pass runs");
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
    std::vector<int64_t> ids = {kQ, kK, kV, kOut, kDout, kStatistics, kDq, kDk, kDv};
    std::vector<void*> pointers(slot.pointers.begin(), slot.pointers.begin() + kBuffers);
    const auto give = [&](int64_t id, void* pointer) {
      ids.push_back(id);
      pointers.push_back(pointer);
    };
    give(kOne, &one_);
    give(kScale, &scale_);
    give(kDelta, delta_.start());
    give(kSums, sums_.start());
    if (causal_) give(kHidden, &hidden_);
    return packs_
        .emplace(slot.pointers[0], cudnn::variant_pack(api_, ids, pointers, workspace_.start()))
        .first->second;
  }

  Library library_;
  cudnn::Api api_;
  cudnn::Handle handle_ = nullptr;
  float one_ = 1, scale_ = 0, hidden_ = -std::numeric_limits<float>::infinity();
  bool causal_ = false;
  DeviceMemory delta_, sums_, workspace_;
  std::vector<Descriptor> plans_;
  size_t chosen_ = 0;
  std::map<void*, Descriptor> packs_;
};

}  // namespace

std::unique_ptr<Baseline> make_cudnn_attention_backward() {
  return std::make_unique<CudnnAttentionBackward>();
}

}  // namespace ridge::runner
