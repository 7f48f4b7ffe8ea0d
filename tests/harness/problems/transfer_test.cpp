// Scan, histogram, top-k, radix sort and the sparse product: references against the plainest code, and
// what the drawn matrices and bins are like.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "harness/problems/compare.h"
#include "tests/catch.h"

using namespace ridge::problems;

namespace {

Case drawn_case(std::string_view problem, const Sizes& sizes, Draw draw) {
  return make_case(find_problem(problem), sizes, draw, 7);
}

// Whether `got` is the right answer of the only output.
template <typename T>
bool is_right(const Case& given, const std::vector<T>& got) {
  const Expected expected = given.problem->reference(given).front();
  return compare(given.buffers[expected.buffer], expected, std::as_bytes(std::span(got))).right();
}

template <typename T>
std::vector<T> copy_of(const Case& given, size_t buffer) {
  const auto in = given.input<T>(buffer);
  return {in.begin(), in.end()};
}

std::vector<float> serial_scan(const Case& given) {
  std::vector<float> out = copy_of<float>(given, 0);
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

std::vector<float> serial_spmv(const Case& given) {
  const auto offsets = given.input<int32_t>(0), columns = given.input<int32_t>(1);
  const auto values = given.input<float>(2), x = given.input<float>(3);
  std::vector<float> y;
  for (size_t row = 0; row + 1 < offsets.size(); ++row) {
    float sum = 0;
    for (auto i = static_cast<size_t>(offsets[row]); i < static_cast<size_t>(offsets[row + 1]); ++i)
      sum += values[i] * x[static_cast<size_t>(columns[i])];
    y.push_back(sum);
  }
  return y;
}

}  // namespace

TEST_CASE(
    "a serial float32 scan is right for every draw, and one that leaves out an element is not") {
  for (int draw = 0; draw < kDraws; ++draw) {
    INFO(draw);
    const Case given = drawn_case("scan", {5000}, static_cast<Draw>(draw));
    std::vector<float> out = serial_scan(given);
    CHECK(is_right(given, out));
    const auto in = given.input<float>(0);
    size_t large = 1000;  // zeros and denormals do not show
    while (std::fabs(in[large]) < 0.1f)
      ++large;
    for (size_t i = large; i < out.size(); ++i)
      out[i] -= in[large];
    CHECK_FALSE(is_right(given, out));
  }
}

TEST_CASE("a scan of several parts continues from part to part") {
  const Case given = drawn_case("scan", {(1 << 20) * 2 + 77}, Draw::uniform);
  const Expected expected = given.problem->reference(given).front();
  double sum = 0;
  const auto in = given.input<float>(0);
  for (size_t i = 0; i < in.size(); ++i) {
    sum += static_cast<double>(in[i]);
    if (i % 100003 == 0) CHECK(expected.value[i] == Approx(sum).margin(1e-6));
  }
}

TEST_CASE("a histogram counts every element, in bins that the draw decides") {
  const int bins = 64;
  for (int draw = 0; draw < kDraws; ++draw) {
    INFO(draw);
    const Case given = drawn_case("histogram", {10000, bins}, static_cast<Draw>(draw));
    std::vector<int32_t> counts(bins);
    for (const int32_t bin : given.input<int32_t>(0)) {
      REQUIRE(bin >= 0);
      REQUIRE(bin < bins);
      ++counts[static_cast<size_t>(bin)];
    }
    CHECK(is_right(given, counts));
    const auto used = bins - std::count(counts.begin(), counts.end(), 0);
    if (static_cast<Draw>(draw) == Draw::alternating) CHECK(used == 1);
    if (static_cast<Draw>(draw) == Draw::outliers) CHECK(used == 2);
    if (static_cast<Draw>(draw) == Draw::uniform) CHECK(used == bins);
    ++counts.back();
    CHECK_FALSE(is_right(given, counts));
  }
}

TEST_CASE("top-k is the start of the descending order, ties included") {
  for (const Draw draw : {Draw::uniform, Draw::zeros, Draw::alternating, Draw::ascending}) {
    const Case given = drawn_case("top_k", {3000, 500}, draw);
    std::vector<float> all = copy_of<float>(given, 0);
    std::sort(all.begin(), all.end(), std::greater<>());
    std::vector<float> out(all.begin(), all.begin() + 500);
    CHECK(is_right(given, out));
    out.back() = all.back();
    CHECK_FALSE(is_right(given, out));
  }
  const Case equal = drawn_case("top_k", {3000, 500}, Draw::alternating);
  const Expected expected = equal.problem->reference(equal).front();
  CHECK(expected.value[0] == expected.value[300]);
  CHECK(find_problem("top_k").nearest_possible({100, 300}) == Sizes{100, 100});
  CHECK(find_problem("top_k").nearest_possible({100000, 3000}) == Sizes{100000, 2048});
}

TEST_CASE("a sort of several parts is the ascending order, whatever the order of the two zeros") {
  for (const Draw draw : {Draw::uniform, Draw::zeros}) {
    const Case given = drawn_case("radix_sort", {(1 << 18) * 3 + 5}, draw);
    std::vector<float> out = copy_of<float>(given, 0);
    std::sort(out.begin(), out.end());
    CHECK(is_right(given, out));
    for (float& x : out)
      if (x == 0) x = -x;
    CHECK(is_right(given, out));
    std::swap(out.front(), out.back());
    CHECK_FALSE(is_right(given, out));
  }
}

TEST_CASE("a serial sparse product is right, and one without a row's last entry is not") {
  for (int draw = 0; draw < kDraws; ++draw) {
    INFO(draw);
    const Case given = drawn_case("spmv", {700, 300, 9000}, static_cast<Draw>(draw));
    const auto offsets = given.input<int32_t>(0);
    CHECK(offsets.front() == 0);
    CHECK(offsets.back() == 9000);
    CHECK(std::is_sorted(offsets.begin(), offsets.end()));
    for (const int32_t column : given.input<int32_t>(1)) {
      REQUIRE(column >= 0);
      REQUIRE(column < 300);
    }
    CHECK(is_right(given, serial_spmv(given)));
  }
  const Case given = drawn_case("spmv", {700, 300, 9000}, Draw::uniform);
  std::vector<float> y = serial_spmv(given);
  const auto offsets = given.input<int32_t>(0);
  size_t row = 0;
  while (offsets[row + 1] == offsets[row])
    ++row;
  const auto last = static_cast<size_t>(offsets[row + 1]) - 1;
  y[row] -= given.input<float>(2)[last] *
            given.input<float>(3)[static_cast<size_t>(given.input<int32_t>(1)[last])];
  CHECK_FALSE(is_right(given, y));
}

TEST_CASE(
    "the rows of a timed matrix follow a power law: most are short, some very long, some empty") {
  const Case given = drawn_case("spmv", {20000, 100, 640000}, Draw::uniform);
  const auto offsets = given.input<int32_t>(0);
  int64_t empty = 0, longest = 0, at_most_mean = 0;
  for (size_t row = 0; row < 20000; ++row) {
    const int64_t length = offsets[row + 1] - offsets[row];
    empty += length == 0;
    at_most_mean += length <= 32;
    longest = std::max(longest, length);
  }
  CHECK(empty > 20000 / 10);
  CHECK(at_most_mean > 20000 * 7 / 10);
  CHECK(longest > 32 * 100);
}
