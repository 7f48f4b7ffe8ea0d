// softmax and rms_norm: the references against numbers worked out by hand, and tolerances that let every
// sound float32 computation through and nothing shorter.
#include <cmath>
#include <cstring>

#include "harness/problems/compare.h"
#include "tests/catch.h"
#include "tests/harness/problems/rounded.h"

using namespace ridge::problems;

namespace {

Case case_of(const char* id, const Sizes& sizes, const std::vector<float>& in) {
  Case given = make_case(find_problem(id), sizes, Draw::uniform, 5);
  std::memcpy(given.initial[0].data(), in.data(), in.size() * sizeof(float));
  return given;
}

// As a plain kernel would: everything in float32, one addition after the other. kept: what becomes of an
// input first.
template <typename Kept>
std::vector<float> rows_computed(const Case& given, const Kept& kept) {
  const bool softmax = given.problem->id == "softmax";
  const auto in = given.input<float>(0);
  const auto rows = static_cast<size_t>(given.sizes[0]), cols = static_cast<size_t>(given.sizes[1]);
  std::vector<float> out(in.size());
  for (size_t row = 0; row < rows; ++row) {
    float largest = -INFINITY, sum = 0;
    for (size_t i = row * cols; i < (row + 1) * cols; ++i)
      largest = std::max(largest, kept(in[i]));
    for (size_t i = row * cols; i < (row + 1) * cols; ++i)
      sum += softmax ? std::exp(kept(in[i]) - largest) : kept(in[i]) * kept(in[i]);
    const float factor = 1 / std::sqrt(sum / static_cast<float>(cols) +
                                       (softmax ? 0.0f : static_cast<float>(given.scalars[0])));
    for (size_t i = row * cols; i < (row + 1) * cols; ++i)
      out[i] = softmax ? std::exp(kept(in[i]) - largest) / sum
                       : kept(in[i]) * factor * given.input<float>(1)[i % cols];
  }
  return out;
}

bool is_right(const Case& given, const std::vector<float>& got) {
  const Expected expected = given.problem->reference(given).front();
  return compare(given.buffers[expected.buffer], expected, std::as_bytes(std::span(got))).right();
}

float exact(float value) {
  return value;
}
}  // namespace

TEST_CASE("softmax of a row that can be computed by hand") {
  const float log3 = std::log(3.0f);
  const Case given = case_of("softmax", {2, 3}, {0, 0, log3, 1000, 1000, 1000});
  const Expected out = given.problem->reference(given).front();
  const double expected[] = {0.2, 0.2, 0.6, 1.0 / 3, 1.0 / 3, 1.0 / 3};
  for (size_t i = 0; i < 6; ++i)
    CHECK(out.value[i] == Approx(expected[i]));
}

TEST_CASE("RMSNorm of a row that can be computed by hand") {
  Case given = case_of("rms_norm", {2, 2}, {3, 4, 0, 0});
  given.scalars[0] = 12.5;  // (9 + 16) / 2 = 12.5, and 12.5 + 12.5 = 25
  const auto weight = given.input<float>(1);
  const Expected out = given.problem->reference(given).front();
  CHECK(out.value[0] == Approx(0.6 * static_cast<double>(weight[0])));
  CHECK(out.value[1] == Approx(0.8 * static_cast<double>(weight[1])));
  CHECK(out.value[2] == 0);
  CHECK(out.value[3] == 0);
}

TEST_CASE("float32 is correct in every draw, float16 inputs in no draw that a shorter type "
          "changes") {
  for (const char* id : {"softmax", "rms_norm"}) {
    for (const Sizes& sizes : {Sizes{3, 5}, Sizes{2, 1009}, Sizes{2, 4096}}) {
      for (int draw = 0; draw < kDraws; ++draw) {
        const Case given = make_case(find_problem(id), sizes, static_cast<Draw>(draw), 21);
        INFO(id << ", " << describe(*given.problem, sizes) << ", " << to_string(given.draw));
        CHECK(is_right(given, rows_computed(given, exact)));
        if (given.draw == Draw::uniform || given.draw == Draw::alternating)
          CHECK_FALSE(is_right(given, rows_computed(given, ridge::tests::as_float16)));
      }
    }
  }
}

TEST_CASE("an exponential that overflows is wrong") {
  const Case given = make_case(find_problem("softmax"), {1, 64}, Draw::offset, 3);
  std::vector<float> got(64);
  float sum = 0;
  for (float value : given.input<float>(0))
    sum += std::exp(value);
  for (size_t i = 0; i < got.size(); ++i)
    got[i] = std::exp(given.input<float>(0)[i]) / sum;
  CHECK_FALSE(is_right(given, got));
}
