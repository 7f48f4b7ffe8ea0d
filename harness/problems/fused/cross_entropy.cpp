// loss[r] = log(exp(logits[r][0]) + ... + exp(logits[r][vocabulary - 1])) - logits[r][targets[r]], in
// float32, of bfloat16 logits.
#include <algorithm>
#include <cmath>

#include "harness/problems/fused/bfloat16_rows.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// The sum of exponentials has the relative error of a softmax (rows/softmax.cpp), which is the
// absolute error of its logarithm. The fast logarithm and the two additions add errors relative to
// their operands.
float tolerance_of_loss(int64_t vocabulary, double largest, double log_of_sum, double target) {
  constexpr double kMostOfTheSum = 3600;
  const auto terms = static_cast<double>(vocabulary);
  const double of_the_sum = 16 + std::min(2 * std::sqrt(terms) + terms / 8, kMostOfTheSum);
  const double of_the_rest = 8 * std::fabs(log_of_sum) + 4 * (std::fabs(largest) + std::fabs(target));
  return static_cast<float>(unit_roundoff(Type::float32) * (of_the_sum + of_the_rest));
}

std::vector<Expected> losses(const Case& given) {
  const auto logits = given.input<uint16_t>(0);
  const auto targets = given.input<int64_t>(1);
  const int64_t vocabulary = given.sizes[1];
  Expected out{2, LargeArray<double>(targets.size()), LargeArray<float>(targets.size())};
  rows_in_parallel(given.sizes[0], 1, [&](int64_t row, int64_t) {
    const auto of_row = logits.subspan(static_cast<size_t>(row * vocabulary), static_cast<size_t>(vocabulary));
    double largest = bfloat16_value(of_row[0]), sum = 0;
    for (const uint16_t logit : of_row)
      largest = std::max(largest, bfloat16_value(logit));
    for (const uint16_t logit : of_row)
      sum += std::exp(bfloat16_value(logit) - largest);
    const auto at = static_cast<size_t>(row);
    const double target = bfloat16_value(of_row[static_cast<size_t>(targets[at])]);
    out.value[at] = std::log(sum) + largest - target;
    out.tolerance[at] = tolerance_of_loss(vocabulary, largest, std::log(sum), target);
  });
  return {std::move(out)};
}

}  // namespace

Problem cross_entropy() {
  return {
      .id = "cross_entropy",
      .signature =
          "(const __nv_bfloat16* logits, const int64_t* targets, float* loss, int rows, int vocabulary, "
          "cudaStream_t stream)",
      .size_names = {"rows", "vocabulary"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"logits", Role::input, {sizes[0], sizes[1]}, Type::bfloat16},
                {"targets", Role::input, {sizes[0]}, Type::int64},
                {"loss", Role::output, {sizes[0]}, Type::float32}};
      },
      // A comparison, a difference, an exponential, an addition per logit.
      .operations =
          [](const Sizes& sizes) { return 4 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]); },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer != 1) return false;
            Random random(fill.seed);
            const std::span targets(reinterpret_cast<int64_t*>(fill.data.data()), static_cast<size_t>(fill.sizes[0]));
            for (int64_t& target : targets)
              target = random.from_one_to(fill.sizes[1]) - 1;
            return true;
          },
      .reference = losses,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const int64_t*, float*, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<int64_t>(1), with.buffer<float>(2), with.size(0),
                     with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_vectors(),
      .hidden_limit = {60, 9000},
      .hidden_step = {1, 8},
  };
}

}  // namespace ridge::problems
