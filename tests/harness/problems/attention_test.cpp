// attention: which keys a query sees, the reference against numbers worked out by hand, and tolerances that let
// a sound kernel through and every known mistake not.
#include "harness/problems/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "harness/problems/compare.h"
#include "harness/problems/inputs.h"
#include "tests/catch.h"
#include "tests/harness/problems/rounded.h"

using namespace ridge::problems;

namespace {

enum class AttentionMistake {
  none,
  no_maximum,
  not_rescaled,
  one_key_too_many,
  one_key_too_few,
  float16_sums,
  float16_scores,
  first_head
};

constexpr int64_t kTile = 16;  // keys of one update

// A value that passed through bfloat16.
float as_bfloat16(float value) {
  return ridge::text::bfloat_to_float(to_bfloat16(static_cast<double>(value)));
}

// Attention as a kernel for tensor cores computes it: tile by tile, in float32, weights rounded to bfloat16.
std::vector<uint16_t> attended(const Case& given, AttentionMistake mistake) {
  const AttentionShape shape(given.sizes);
  const auto value = [&](size_t buffer, int64_t head, int64_t row, int64_t column) {
    const int64_t rows = buffer == kQueries ? shape.queries : shape.keys;
    return static_cast<float>(load_element(Type::bfloat16, given.initial[buffer].data(),
                                           (head * rows + row) * shape.d + column));
  };
  std::vector<uint16_t> out;
  const float scale = 1 / std::sqrt(static_cast<float>(shape.d));
  for (int64_t row = 0; row < shape.heads * shape.queries; ++row) {
    const int64_t head = row / shape.queries, query = row % shape.queries;
    int64_t visible = shape.visible_keys(head, query);
    if (mistake == AttentionMistake::one_key_too_many) visible = std::min(visible + 1, shape.keys);
    if (mistake == AttentionMistake::one_key_too_few) visible = std::max<int64_t>(visible - 1, 0);
    std::vector<float> o(static_cast<size_t>(shape.d));
    float m = mistake == AttentionMistake::no_maximum ? 0 : -INFINITY, l = 0;
    for (int64_t first = 0; first < visible; first += kTile) {
      const int64_t last = std::min(first + kTile, visible);
      std::vector<float> s;
      for (int64_t key = first; key < last; ++key) {
        float product = 0;
        for (int64_t c = 0; c < shape.d; ++c)
          product += value(kQueries, head, query, c) * value(kKeys, head, key, c);
        if (mistake == AttentionMistake::float16_scores) product = ridge::tests::as_float16(product);
        s.push_back(product * scale);
      }
      const float larger =
          mistake == AttentionMistake::no_maximum ? 0 : std::max(m, *std::max_element(s.begin(), s.end()));
      const float factor = mistake == AttentionMistake::not_rescaled ? 1 : std::exp(m - larger);
      m = larger;
      l *= factor;
      for (float& sum : o) {
        sum *= factor;
        if (mistake == AttentionMistake::float16_sums) sum = ridge::tests::as_float16(sum);
      }
      for (int64_t key = first; key < last; ++key) {
        const float p = std::exp(s[static_cast<size_t>(key - first)] - m);
        l += p;
        for (int64_t c = 0; c < shape.d; ++c)
          o[static_cast<size_t>(c)] +=
              as_bfloat16(p) * value(kValues, mistake == AttentionMistake::first_head ? 0 : head, key, c);
      }
    }
    for (const float sum : o)
      out.push_back(to_bfloat16(static_cast<double>(l > 0 ? sum / l : 0)));
  }
  return out;
}

bool is_right(const Case& given, const std::vector<uint16_t>& got) {
  const Expected expected = given.problem->reference(given).front();
  return compare(given.buffers[expected.buffer], expected, std::as_bytes(std::span(got))).right();
}

Case case_of(const Sizes& sizes, Draw draw) {
  return make_case(find_problem("attention"), sizes, draw, 17);
}

}  // namespace

TEST_CASE("a query sees every key, or those up to its own place counted from the end") {
  const AttentionShape full({1, 3, 5, 64, kFullMask}), causal({1, 3, 5, 64, kCausalMask}),
      more_queries({1, 5, 3, 64, kCausalMask});
  CHECK(full.visible_keys(0, 0) == 5);
  CHECK(causal.visible_keys(0, 0) == 3);
  CHECK(causal.visible_keys(0, 2) == 5);
  CHECK(more_queries.visible_keys(0, 1) == 0);
  CHECK(more_queries.visible_keys(0, 2) == 1);
  AttentionShape ragged = full;
  ragged.lengths = {4};
  CHECK(ragged.visible_keys(0, 0) == 4);
  CHECK(full.visible_pairs() == 15);
  CHECK(causal.visible_pairs() == 3 + 4 + 5);
  CHECK(more_queries.visible_pairs() == 1 + 2 + 3);
}

TEST_CASE("attention of two keys that can be computed by hand") {
  Case given = case_of({1, 1, 2, 64, kFullMask}, Draw::uniform);
  // q k = 8 log(3) / 8 for the first key and 0 for the second: the weights are 3/4 and 1/4.
  const auto set = [&](size_t buffer, int64_t at, double value) {
    store_element(Type::bfloat16, given.initial[buffer].data(), at, value);
  };
  for (int64_t c = 0; c < 64; ++c)
    set(kQueries, c, c == 0 ? 8 : 0), set(kKeys, c, c == 0 ? std::log(3) : 0),
        set(kKeys, 64 + c, 0), set(kValues, c, 4), set(kValues, 64 + c, -8);
  const Expected out = given.problem->reference(given).front();
  const double three = std::exp(load_element(Type::bfloat16, given.initial[kKeys].data(), 0));
  for (const double value : out.value)
    CHECK(value == Approx((4 * three - 8) / (three + 1)));
}

TEST_CASE("a query that sees no key has the result 0, and nothing near it is right") {
  const Case given = case_of({1, 3, 1, 64, kCausalMask}, Draw::uniform);
  const Expected out = given.problem->reference(given).front();
  for (size_t i = 0; i < 2 * 64; ++i) {
    CHECK(out.value[i] == 0);
    CHECK(out.tolerance[i] == 0);
  }
  CHECK(out.tolerance[2 * 64] > 0);
}

TEST_CASE("rows of the reference are the same as those of the whole") {
  const Case given = case_of({2, 20, 33, 64, kCausalMask}, Draw::outliers);
  const Expected all = given.problem->reference(given).front();
  const std::vector<int64_t> rows = {3, 21, 39};
  const Expected some = given.problem->reference_of_rows(given, rows);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t c = 0; c < 64; ++c)
      CHECK(some.value[i * 64 + c] == all.value[static_cast<size_t>(rows[i]) * 64 + c]);
}

TEST_CASE("float32 sums and bfloat16 weights are right for every kind of input") {
  for (const Sizes& sizes :
       {Sizes{2, 40, 70, 64, 1}, Sizes{1, 30, 500, 128, 2}, Sizes{1, 50, 20, 64, 2}})
    for (int draw = 0; draw < kDraws; ++draw) {
      const Case given = case_of(sizes, static_cast<Draw>(draw));
      INFO(describe(*given.problem, sizes) << ", " << to_string(given.draw));
      CHECK(is_right(given, attended(given, AttentionMistake::none)));
    }
}

TEST_CASE("each known mistake is wrong for the inputs that are there to show it") {
  const Sizes sizes = {2, 40, 600, 64, 2};
  CHECK_FALSE(is_right(case_of(sizes, Draw::offset),
                       attended(case_of(sizes, Draw::offset), AttentionMistake::no_maximum)));
  for (const Draw draw : {Draw::uniform, Draw::alternating, Draw::zeros}) {
    const Case given = case_of(sizes, draw);
    INFO(to_string(draw));
    CHECK_FALSE(is_right(given, attended(given, AttentionMistake::one_key_too_few)));
    CHECK_FALSE(is_right(given, attended(given, AttentionMistake::one_key_too_many)));
    CHECK_FALSE(is_right(given, attended(given, AttentionMistake::first_head)));
  }
  for (const Draw draw : {Draw::uniform, Draw::ascending}) {
    const Case given = case_of(sizes, draw);
    INFO(to_string(draw));
    CHECK_FALSE(is_right(given, attended(given, AttentionMistake::not_rescaled)));
  }
  const Case large = case_of(sizes, Draw::offset);
  CHECK_FALSE(is_right(large, attended(large, AttentionMistake::float16_sums)));
  CHECK_FALSE(is_right(large, attended(large, AttentionMistake::float16_scores)));
}
