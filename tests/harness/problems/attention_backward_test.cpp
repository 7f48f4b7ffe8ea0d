// attention_backward: the reference against derivatives, repeated keys against the direct sums, and tolerances
// that let a sound kernel through and every known mistake not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/problems/attention/backward.h"
#include "harness/problems/attention/repeated_keys.h"
#include "harness/problems/compare.h"
#include "tests/catch.h"
#include "tests/harness/problems/rounded.h"

using namespace ridge::problems;

namespace {

constexpr int64_t kBackwardColumns = kColumns;

enum class BackwardMistake { none, no_delta, no_scale, no_mask, no_logarithm, bfloat16_sums };

Case backward_case(const Sizes& sizes, Draw draw) {
  return make_case(find_problem("attention_backward"), sizes, draw, 23);
}

float rounded_to_bfloat16(float value) {
  return ridge::text::bfloat_to_float(to_bfloat16(static_cast<double>(value)));
}

// 0 for numbers below the normal ones.
float flushed(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? 0 : x;
}

float row_element(const Case& given, size_t buffer, int64_t row, int64_t column) {
  return static_cast<float>(
      load_element(Type::bfloat16, given.initial[buffer].data(), row * kBackwardColumns + column));
}

// dq, dk and dv as a kernel for tensor cores computes them, pair by pair, in float32.
std::vector<std::vector<float>> computed_gradients(const Case& given, BackwardMistake mistake) {
  const AttentionShape shape(forward_sizes(given.sizes));
  const float scale = 0.08838834764f;
  std::vector<std::vector<float>> sums;
  for (const int64_t rows : {shape.queries, shape.keys, shape.keys})
    sums.emplace_back(static_cast<size_t>(shape.heads * rows * kBackwardColumns));
  const auto add = [&](size_t which, int64_t row, float weight, size_t buffer, int64_t from) {
    for (int64_t c = 0; c < kBackwardColumns; ++c) {
      float& sum = sums[which][static_cast<size_t>(row * kBackwardColumns + c)];
      sum += rounded_to_bfloat16(weight) * row_element(given, buffer, from, c);
      if (mistake == BackwardMistake::bfloat16_sums) sum = rounded_to_bfloat16(sum);
    }
  };
  for (int64_t query = 0; query < shape.heads * shape.queries; ++query) {
    const int64_t head = query / shape.queries;
    const int64_t seen = mistake == BackwardMistake::no_mask
                             ? shape.keys
                             : shape.visible_keys(head, query % shape.queries);
    float delta = 0;
    for (int64_t c = 0; c < kBackwardColumns; ++c)
      delta +=
          row_element(given, kOutputGradient, query, c) * row_element(given, kOutput, query, c);
    if (mistake == BackwardMistake::no_delta) delta = 0;
    const float log_sum = given.input<float>(kLogSums)[static_cast<size_t>(query)];
    for (int64_t key = head * shape.keys; key < head * shape.keys + seen; ++key) {
      float s = 0, dp = 0;
      for (int64_t c = 0; c < kBackwardColumns; ++c) {
        s += row_element(given, kQueries, query, c) * row_element(given, kKeys, key, c);
        dp += row_element(given, kOutputGradient, query, c) * row_element(given, kValues, key, c);
      }
      // As ex2.approx.ftz has it.
      const float p =
          flushed(std::exp(s * scale - (mistake == BackwardMistake::no_logarithm ? 0 : log_sum)));
      const float ds = p * (dp - delta);
      add(2, key, p, kOutputGradient, query);
      add(1, key, ds, kQueries, query);
      add(0, query, ds, kKeys, key);
    }
  }
  for (const size_t which : {size_t{0}, size_t{1}})
    for (float& sum : sums[which])
      if (which == 0 || mistake != BackwardMistake::no_scale) sum *= scale;
  return sums;
}

bool gradients_are_right(const Case& given, BackwardMistake mistake) {
  const std::vector<std::vector<float>> got = computed_gradients(given, mistake);
  const std::vector<Expected> expected = given.problem->reference(given);
  for (size_t i = 0; i < expected.size(); ++i) {
    std::vector<uint16_t> rounded;
    for (const float value : got[i])
      rounded.push_back(to_bfloat16(static_cast<double>(value)));
    if (!compare(given.buffers[expected[i].buffer], expected[i], std::as_bytes(std::span(rounded)))
             .right())
      return false;
  }
  return true;
}

// The sum over all queries and columns of dout * out, in double.
double backward_loss(const Case& given) {
  const AttentionShape shape(forward_sizes(given.sizes));
  double total = 0;
  for (int64_t query = 0; query < shape.queries; ++query) {
    double sum = 0, weighted = 0;
    for (int64_t key = 0; key < shape.visible_keys(0, query); ++key) {
      double s = 0, value = 0;
      for (int64_t c = 0; c < kBackwardColumns; ++c) {
        s += static_cast<double>(row_element(given, kQueries, query, c)) *
             static_cast<double>(row_element(given, kKeys, key, c));
        value += static_cast<double>(row_element(given, kOutputGradient, query, c)) *
                 static_cast<double>(row_element(given, kValues, key, c));
      }
      const double weight = std::exp(s / std::sqrt(static_cast<double>(kBackwardColumns)));
      sum += weight;
      weighted += weight * value;
    }
    if (sum > 0) total += weighted / sum;
  }
  return total;
}

}  // namespace

TEST_CASE("the reference of the backward pass is the derivative of the forward pass") {
  for (const int64_t mask : {kFullMask, kCausalMask}) {
    const Case given = backward_case({1, 4, 6, mask}, Draw::uniform);
    const std::vector<Expected> gradients = given.problem->reference(given);
    const size_t inputs[] = {kQueries, kKeys, kValues};
    for (size_t i = 0; i < 3; ++i) {
      double largest = 0;
      for (const double value : gradients[i].value)
        largest = std::max(largest, std::fabs(value));
      for (const int64_t at : {int64_t{3}, kBackwardColumns + 50, 3 * kBackwardColumns + 127}) {
        // bfloat16 holds x + h and x - h only in its own steps, so the step is what was stored.
        Case up = backward_case({1, 4, 6, mask}, Draw::uniform),
             down = backward_case({1, 4, 6, mask}, Draw::uniform);
        const double x = load_element(Type::bfloat16, given.initial[inputs[i]].data(), at);
        constexpr double kStep = 0.0625;
        store_element(Type::bfloat16, up.initial[inputs[i]].data(), at, x + kStep);
        store_element(Type::bfloat16, down.initial[inputs[i]].data(), at, x - kStep);
        const double step = load_element(Type::bfloat16, up.initial[inputs[i]].data(), at) -
                            load_element(Type::bfloat16, down.initial[inputs[i]].data(), at);
        INFO("mask " << mask << ", gradient " << i << ", element " << at);
        // The output that the reference gets is rounded, and the difference has a second order.
        CHECK(gradients[i].value[static_cast<size_t>(at)] ==
              Approx((backward_loss(up) - backward_loss(down)) / step).margin(0.02 * largest));
      }
    }
  }
}

TEST_CASE("long sequences repeat 128 keys, and the reference adds up every one of them") {
  const Case given = backward_case({2, 9, 300, kCausalMask}, Draw::uniform);
  for (const int64_t key : {int64_t{128}, int64_t{299}})
    for (const size_t buffer : {kKeys, kValues}) {
      const int64_t equal = first_equal_key(given.seed, 1, key);
      CHECK(equal < kDistinctKeys);
      CHECK(row_element(given, buffer, 300 + key, 7) == row_element(given, buffer, 300 + equal, 7));
    }
  CHECK(first_equal_key(given.seed, 1, 127) == 127);
  CHECK(gradients_are_right(given, BackwardMistake::none));
}

TEST_CASE("a query that sees no key has the gradient 0, exactly") {
  const Case given = backward_case({1, 3, 1, kCausalMask}, Draw::uniform);
  CHECK(given.input<float>(kLogSums)[0] == -INFINITY);
  const Expected dq = given.problem->reference(given).front();
  for (size_t i = 0; i < 2 * kRowElements; ++i) {
    CHECK(dq.value[i] == 0);
    CHECK(dq.tolerance[i] == 0);
  }
}

TEST_CASE("float32 sums with bfloat16 p and ds are right for every kind of input") {
  // The last of these has probabilities between 0 and the smallest normal number, times values of 1000.
  for (const Sizes& sizes : {Sizes{2, 20, 33, 1}, Sizes{1, 30, 40, 2}, Sizes{1, 25, 10, 2}, Sizes{2, 160, 128, 2}})
    for (int draw = 0; draw < kDraws; ++draw) {
      const Case given = backward_case(sizes, static_cast<Draw>(draw));
      INFO(describe(*given.problem, sizes) << ", " << to_string(given.draw));
      CHECK(gradients_are_right(given, BackwardMistake::none));
    }
}

TEST_CASE("each known mistake of the backward pass is wrong") {
  const Case given = backward_case({1, 60, 70, 2}, Draw::uniform);
  for (const BackwardMistake mistake :
       {BackwardMistake::no_delta, BackwardMistake::no_scale, BackwardMistake::no_mask,
        BackwardMistake::no_logarithm, BackwardMistake::bfloat16_sums}) {
    INFO(static_cast<int>(mistake));
    CHECK_FALSE(gradients_are_right(given, mistake));
  }
}

TEST_CASE("roundings of repeated keys are equal, and the tolerance of dq allows for that") {
  const Case given = backward_case({1, 2, 4000, kFullMask}, Draw::uniform);
  CHECK(gradients_are_right(given, BackwardMistake::none));
  CHECK_FALSE(gradients_are_right(given, BackwardMistake::no_delta));
  CHECK_FALSE(gradients_are_right(given, BackwardMistake::no_scale));
}
