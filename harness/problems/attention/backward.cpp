// The gradients of q, k and v, given that of attention's result: dv = p^T dout,
// ds = p * (dout v^T - delta), dk = ds^T q scale, dq = ds k scale. bfloat16 operands and results,
// everything between them in float32 or better.
#include "harness/problems/attention/backward.h"

#include <cmath>

#include "harness/problems/attention/repeated_keys.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

AttentionShape forward_shape(const Sizes& sizes) {
  return AttentionShape(forward_sizes(sizes));
}

double norm_of(Row x) {
  double squares = 0;
  for (size_t c = 0; c < kRowElements; ++c)
    squares += x[c] * x[c];
  return std::sqrt(squares);
}

// A row of results with what its tolerance is made of.
struct Sums {
  double value[kRowElements] = {}, squares[kRowElements] = {}, error[kRowElements] = {};

  // weight * x, `times` times: equal terms have equal roundings, so they count as one larger term.
  // error: by how much a float32 kernel may be off in `weight`.
  void add(double times, double weight, double error_of_weight, Row x) {
    const double several = times * weight, square = several * several, off = times * error_of_weight;
    for (size_t c = 0; c < kRowElements; ++c) {
      value[c] += several * x[c];
      squares[c] += square * x[c] * x[c];
      error[c] += off * std::fabs(x[c]);
    }
  }

  // A kernel may round p and ds to bfloat16 for the tensor cores: as for the weights of the forward
  // pass. One more rounding stores the result.
  void store(double factor, double* to, float* tolerance) const {
    constexpr double kDeviations = 4;
    const double rounding = unit_roundoff(Type::bfloat16);
    for (size_t c = 0; c < kRowElements; ++c) {
      to[c] = factor * value[c];
      tolerance[c] = static_cast<float>(
          factor * (rounding * (2 * std::fabs(value[c]) + kDeviations * std::sqrt(squares[c])) +
                    error[c]) +
          smallest_normal(Type::bfloat16));
    }
  }
};

// The gradients of one head.
class HeadGradients {
 public:
  HeadGradients(const Case& given, const AttentionShape& shape, int64_t head,
                std::vector<Expected>& out)
      : given_(given),
        shape_(shape),
        head_(head),
        out_(out),
        k_(given, kKeys, head, shape.keys),
        v_(given, kValues, head, shape.keys),
        counts_(shape, given.seed, head),
        dk_(k_.count),
        dv_(k_.count) {}

  // From the last query, which sees every key, to the first: the sums over the queries that see a
  // key are complete when its first one has been added.
  void compute() {
    int64_t key = shape_.keys;
    for (int64_t query = shape_.queries - 1; query >= 0; --query) {
      add_query(query);
      const int64_t seen_before = query == 0 ? 0 : shape_.visible_keys(head_, query - 1);
      while (key > (query == 0 ? 0 : seen_before))
        store_key(--key);
    }
  }

 private:
  void add_query(int64_t query) {
    const int64_t row = head_ * shape_.queries + query;
    double q[kRowElements], dout[kRowElements], out[kRowElements];
    load_row(given_, kQueries, row, q);
    load_row(given_, kOutputGradient, row, dout);
    load_row(given_, kOutput, row, out);
    const double log_sum = given_.input<float>(kLogSums)[static_cast<size_t>(row)];
    const std::vector<double>& counts = counts_.seen_by(query);
    k_.products(q, logits_);
    v_.products(dout, dp_);
    double delta = 0, magnitude = 0;
    for (size_t c = 0; c < kRowElements; ++c)
      delta += dout[c] * out[c], magnitude += std::fabs(dout[c] * out[c]);
    const double off_delta = tolerance_of(Type::float32, kColumns, magnitude);
    const double norm_q = norm_of(q), norm_dout = norm_of(dout);
    // Relative tolerances of a sum over all queries and of one over all keys.
    const double over_queries = relative(shape_.queries), over_keys = relative(shape_.keys);
    Sums dq;
    for (size_t j = 0; j < k_.count; ++j) {
      if (counts[j] == 0) continue;
      const double logit = logits_[j] * kScale;
      // As in the forward pass: an absolute error of the exponent is a relative one of p.
      const double slack =
          tolerance_of(Type::float32, kColumns, norm_q * k_.norms[j] * kScale) +
          4 * unit_roundoff(Type::float32) * (std::fabs(logit) + std::fabs(log_sum) + 4);
      const double p = std::exp(logit - log_sum);
      if (p == 0) continue;
      const double ds = p * (dp_[j] - delta);
      const double off_dp =
          p * (tolerance_of(Type::float32, kColumns, norm_dout * v_.norms[j]) + off_delta);
      const double off_p = p * slack + flushed(p);
      const double off_ds = std::fabs(dp_[j] - delta) * off_p + off_dp + flushed(std::fabs(ds) * kScale) / kScale;
      dv_[j].add(1, p, off_p + p * over_queries, dout);
      dk_[j].add(1, ds, off_ds + std::fabs(ds) * over_queries, q);
      dq.add(counts[j], ds, off_ds + std::fabs(ds) * over_keys, &k_.rows[j * kRowElements]);
    }
    store(0, row, dq, kScale);
    if (shape_.visible_keys(head_, query) == 0)  // no key: 0, exactly
      std::fill_n(&out_[0].tolerance[static_cast<size_t>(row) * kRowElements], kRowElements, 0.0f);
  }

  void store_key(int64_t key) {
    const auto equal = static_cast<size_t>(first_equal_key(given_.seed, head_, key));
    store(1, head_ * shape_.keys + key, dk_[equal], kScale);
    store(2, head_ * shape_.keys + key, dv_[equal], 1);
  }

  void store(size_t which, int64_t row, const Sums& sums, double factor) {
    const auto at = static_cast<size_t>(row) * kRowElements;
    sums.store(factor, &out_[which].value[at], &out_[which].tolerance[at]);
  }

  // By how much a positive float32 is off where numbers below the normal ones become 0, as ex2.approx.ftz
  // and --use_fast_math have it. The factor 2: the kernel's number may be a little smaller than x.
  static double flushed(double x) { return x < 2 * smallest_normal(Type::float32) ? x : 0; }

  // The error of a float32 sum of so many terms, of its magnitude.
  static double relative(int64_t terms) {
    return static_cast<double>(tolerance_of(Type::float32, terms, 1));
  }

  static constexpr double kScale = 0.088388347648318447;  // 1 / sqrt(128)
  const Case& given_;
  const AttentionShape& shape_;
  int64_t head_;
  std::vector<Expected>& out_;
  Distinct k_, v_;
  KeyCounts counts_;
  std::vector<Sums> dk_, dv_;
  std::vector<double> logits_, dp_;
};

std::vector<Expected> gradients(const Case& given) {
  const AttentionShape shape = forward_shape(given.sizes);
  std::vector<Expected> out;
  for (const size_t buffer : {kQueryGradient, kKeyGradient, kValueGradient}) {
    const auto elements = static_cast<size_t>(given.buffers[buffer].elements());
    out.push_back({buffer, LargeArray<double>(elements), LargeArray<float>(elements)});
  }
  rows_in_parallel(shape.heads, 1, [&](int64_t first, int64_t last) {
    for (int64_t head = first; head < last; ++head)
      HeadGradients(given, shape, head, out).compute();
  });
  return out;
}

}  // namespace

Problem attention_backward() {
  return {
      .id = "attention_backward",
      .signature =
          "(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, const __nv_bfloat16* out, "
          "const __nv_bfloat16* dout, const float* lse, __nv_bfloat16* dq, __nv_bfloat16* dk, __nv_bfloat16* dv, "
          "int heads, int queries, int keys, int mask, cudaStream_t stream)",
      .size_names = {"heads", "queries", "keys", "mask"},
      .buffers = [](const Sizes& s) -> std::vector<Buffer> {
        const std::vector<int64_t> by_query = {s[0] * s[1], kColumns}, by_key = {s[0] * s[2], kColumns};
        return {{"q", Role::input, by_query, Type::bfloat16},
                {"k", Role::input, by_key, Type::bfloat16},
                {"v", Role::input, by_key, Type::bfloat16},
                {"out", Role::input, by_query, Type::bfloat16},
                {"dout", Role::input, by_query, Type::bfloat16},
                {"lse", Role::input, {s[0] * s[1]}, Type::float32},
                {"dq", Role::output, by_query, Type::bfloat16},
                {"dk", Role::output, by_key, Type::bfloat16},
                {"dv", Role::output, by_key, Type::bfloat16}};
      },
      // Five products with 2 d operations for each pair of a query and a key that it sees.
      .operations =
          [](const Sizes& sizes) {
            const AttentionShape shape = forward_shape(sizes);
            return 10 * static_cast<double>(shape.heads) * static_cast<double>(shape.d) *
                   shape.visible_pairs();
          },
      .fill = fill_backward,
      .complete = attend_forward,
      .reference = gradients,
      .call =
          [](void* entry, const Arguments& with) {
            using Matrix = const uint16_t*;
            auto function = reinterpret_cast<void (*)(Matrix, Matrix, Matrix, Matrix, Matrix, const float*,
                                                      uint16_t*, uint16_t*, uint16_t*, int, int, int,
                                                      int, Stream)>(entry);
            function(with.buffer<uint16_t>(kQueries), with.buffer<uint16_t>(kKeys),
                     with.buffer<uint16_t>(kValues), with.buffer<uint16_t>(kOutput),
                     with.buffer<uint16_t>(kOutputGradient), with.buffer<float>(kLogSums),
                     with.buffer<uint16_t>(kQueryGradient), with.buffer<uint16_t>(kKeyGradient),
                     with.buffer<uint16_t>(kValueGradient), with.size(0), with.size(1), with.size(2),
                     with.size(3), with.stream);
          },
      // Few rows, because each has 128 columns; with and without queries that see no key. Sizes
      // around tiles are among those of the lab.
      .edge_sizes = {{1, 1, 1, 1},
                     {1, 3, 30, 1},
                     {1, 16, 16, 2},
                     {1, 20, 5, 2},
                     {2, 1, 9, 1},
                     {1, 5, 20, 2},
                     {1, 20, 7, 1},
                     {1, 7, 20, 1},
                     {1, 24, 25, 2},
                     {1, 1, 40, 2},
                     {2, 4, 4, 2},
                     {1, 17, 3, 2},
                     {1, 40, 2, 1},
                     {1, 2, 50, 2},
                     {3, 6, 10, 2},
                     {1, 10, 1, 1},
                     {1, 1, 2, 2},
                     {1, 2, 3, 1}},
      .hidden_limit = {2, 200, 300, 2},
      .nearest_possible =
          [](const Sizes& sizes) {
            Sizes nearest = sizes;
            if (nearest[3] != kFullMask && nearest[3] != kCausalMask)
              nearest[3] = kFullMask + nearest[3] % 2;
            return nearest;
          },
  };
}

}  // namespace ridge::problems
