// Fused problems: the random words of dropout, the masks of mistakes, and which roundings are right.
#include <numeric>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "harness/problems/compare.h"
#include "harness/problems/fused/dropout_mask.h"
#include "harness/problems/fused/gelu.h"
#include "tests/catch.h"

using namespace ridge::problems;

namespace {

float decoded(uint16_t bits) {
  return ridge::text::bfloat_to_float(bits);
}

template <typename T>
bool is_right(const Case& given, const Expected& expected, const std::vector<T>& got) {
  return compare(given.buffers[expected.buffer], expected, std::as_bytes(std::span(got))).right();
}

std::vector<uint16_t> rounded(std::span<const double> values) {
  std::vector<uint16_t> bits;
  for (const double value : values)
    bits.push_back(to_bfloat16(value));
  return bits;
}

// The sum of term(0) .. term(count - 1) in float32, as a block adds it: 256 partial sums first.
template <typename Term>
float summed_in_float(size_t count, const Term& term) {
  std::array<float, 256> partial = {};
  for (size_t i = 0; i < count; ++i)
    partial[i % partial.size()] += term(i);
  return std::accumulate(partial.begin(), partial.end(), 0.0f);
}

// A LayerNorm in float32. one_pass: the variance as a difference of means of squares.
std::vector<uint16_t> normalised_in_float(const Case& given, bool one_pass) {
  const auto cols = static_cast<size_t>(given.sizes[1]);
  const Expected sum = given.problem->reference(given).front();
  std::vector<uint16_t> out;
  for (size_t begin = 0; begin < sum.value.size(); begin += cols) {
    const auto value = [&](size_t c) { return static_cast<float>(sum.value[begin + c]); };
    const float mean = summed_in_float(cols, value) / static_cast<float>(cols);
    const float squares = summed_in_float(cols, [&](size_t c) {
      const float apart = value(c) - (one_pass ? 0 : mean);
      return apart * apart;
    });
    const float variance = squares / static_cast<float>(cols) - (one_pass ? mean * mean : 0);
    const float factor = 1 / std::sqrt(variance + static_cast<float>(given.scalars[0]));
    for (size_t c = 0; c < cols; ++c)
      out.push_back(to_bfloat16(static_cast<double>((static_cast<float>(sum.value[begin + c]) - mean) * factor *
                                                        decoded(given.input<uint16_t>(2)[c]) +
                                                    decoded(given.input<uint16_t>(3)[c]))));
  }
  return out;
}

// A loss per row in float32, with or without the subtraction of the maximum.
std::vector<float> losses_in_float(const Case& given, bool with_maximum) {
  const auto logits = given.input<uint16_t>(0);
  const auto cols = static_cast<size_t>(given.sizes[1]);
  std::vector<float> losses;
  for (size_t begin = 0; begin < logits.size(); begin += cols) {
    float largest = -INFINITY;
    for (size_t i = begin; i < begin + cols; ++i)
      largest = std::max(largest, decoded(logits[i]));
    if (!with_maximum) largest = 0;
    const float sum =
        summed_in_float(cols, [&](size_t c) { return std::exp(decoded(logits[begin + c]) - largest); });
    const auto target = static_cast<size_t>(given.input<int64_t>(1)[begin / cols]);
    losses.push_back(std::log(sum) + largest - decoded(logits[begin + target]));
  }
  return losses;
}

}  // namespace

// The known answers of Random123, the authors' own implementation.
TEST_CASE("Philox4x32-10 gives its published words") {
  CHECK(philox4x32_10({0, 0, 0, 0}, 0) == PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff) ==
        PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a mask keeps 1 - p of the elements, and every mistaken layout is another mask") {
  constexpr int64_t kRows = 64, kCols = 256;
  const auto mask_by = [&](MaskRule rule) {
    const DropoutMask mask(rule, 12345, 0.25, kCols);
    std::vector<double> factors;
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t group = 0; group < kCols / kGroup; ++group)
        for (const double factor : mask.factors(row, group))
          factors.push_back(factor);
    return factors;
  };
  std::set<std::vector<double>> masks;
  for (const MaskRule rule :
       {MaskRule::of_the_statement, MaskRule::row_left_out, MaskRule::row_first, MaskRule::one_array,
        MaskRule::one_word, MaskRule::inverted, MaskRule::not_scaled, MaskRule::key_kept})
    CHECK(masks.insert(mask_by(rule)).second);
  double kept = 0;
  for (const double factor : mask_by(MaskRule::of_the_statement)) {
    CHECK((factor == 0 || factor == Approx(1 / 0.75)));
    kept += factor > 0;
  }
  CHECK(kept / (kRows * kCols) == Approx(0.75).margin(0.02));
}

TEST_CASE("an answer with a mistaken mask is wrong, and is the result of that mistake alone") {
  for (const char* id : {"bias_dropout_residual", "dropout_backward"}) {
    const Problem& problem = find_problem(id);
    const Case given = make_case(problem, {40, 128}, Draw::uniform, 7);
    REQUIRE(problem.mistakes.size() == 7);
    for (const Mistake& made : problem.mistakes) {
      INFO(id << " " << made.finding);
      const Expected mistaken = std::move(made.result(given).front());
      const std::vector<uint16_t> got = rounded(mistaken.value);
      CHECK_FALSE(is_right(given, problem.reference(given).front(), got));
      for (const Mistake& other : problem.mistakes)
        CHECK(is_right(given, other.result(given).front(), got) == (other.finding == made.finding));
    }
  }
}

TEST_CASE("GELU may be computed with a rounded argument, but is no other function") {
  CHECK(gelu(0) == 0);
  CHECK(gelu(1) == Approx(0.8411919906));
  CHECK(gelu(-1) == Approx(-0.1588080094));
  CHECK(gelu_slope(0) == 0.5);
  for (const double x : {-3.0, -1.0, -0.3, 0.2, 0.9, 2.5, 40.0}) {
    INFO(x);
    CHECK(gelu_slope(x) == Approx((gelu(x + 1e-6) - gelu(x - 1e-6)) / 2e-6).margin(1e-6));
    const double between = load_element(Type::bfloat16, rounded(std::vector{x * 1.003}).data(), 0);
    CHECK(std::fabs(gelu(between) - gelu(x * 1.003)) <= tolerance_of_gelu(x * 1.003));
  }
  for (const double x : {-1.0, -0.5, 0.5, 1.0}) {
    INFO(x);
    CHECK(std::fabs(std::max(x, 0.0) - gelu(x)) > tolerance_of_gelu(x));              // ReLU
    CHECK(std::fabs(x / (1 + std::exp(-x)) - gelu(x)) > tolerance_of_gelu(x));        // SiLU
  }
}

TEST_CASE("a LayerNorm in float32 is right in every draw, one with a difference of squares is not") {
  const Problem& problem = find_problem("residual_layer_norm");
  for (int draw = 0; draw < kDraws; ++draw)
    for (const Sizes& sizes : {Sizes{5, 8}, Sizes{7, 1000}, Sizes{2, 16384}}) {
      const Case given = make_case(problem, sizes, static_cast<Draw>(draw), 11);
      INFO(to_string(given.draw) << ", " << describe(problem, sizes));
      const std::vector<Expected> expected = problem.reference(given);
      CHECK(is_right(given, expected[0], rounded(expected[0].value)));
      CHECK(is_right(given, expected[1], normalised_in_float(given, false)));
      if (given.draw == Draw::offset && sizes[1] >= 1000)
        CHECK_FALSE(is_right(given, expected[1], normalised_in_float(given, true)));
    }
}

TEST_CASE("a cross-entropy in float32 is right in every draw, one without the maximum overflows") {
  const Problem& problem = find_problem("cross_entropy");
  for (int draw = 0; draw < kDraws; ++draw)
    for (const Sizes& sizes : {Sizes{5, 8}, Sizes{7, 1000}, Sizes{2, 131072}}) {
      const Case given = make_case(problem, sizes, static_cast<Draw>(draw), 13);
      INFO(to_string(given.draw) << ", " << describe(problem, sizes));
      const Expected expected = problem.reference(given).front();
      CHECK(is_right(given, expected, losses_in_float(given, true)));
      if (given.draw == Draw::offset) CHECK_FALSE(is_right(given, expected, losses_in_float(given, false)));
    }
}

TEST_CASE("bias and GELU of a product: the reference of some rows equals that of all") {
  const Problem& problem = find_problem("gemm_bias_gelu");
  const Case given = make_case(problem, {9, 24, 16}, Draw::uniform, 17);
  const Expected all = problem.reference(given).front();
  CHECK(all.buffer == 3);
  const std::vector<int64_t> rows = {7, 2};
  const Expected some = problem.reference_of_rows(given, rows);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t col = 0; col < 24; ++col)
      CHECK(some.value[i * 24 + col] == Approx(all.value[static_cast<size_t>(rows[i]) * 24 + col]));
  double sum = decoded(given.input<uint16_t>(2)[5]);
  for (size_t p = 0; p < 16; ++p)
    sum += static_cast<double>(decoded(given.input<uint16_t>(0)[3 * 16 + p])) *
           static_cast<double>(decoded(given.input<uint16_t>(1)[5 * 16 + p]));
  CHECK(all.value[3 * 24 + 5] == Approx(gelu(sum)));
}
