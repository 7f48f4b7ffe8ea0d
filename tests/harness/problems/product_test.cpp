// Products of matrices against three plain loops, over edges of every tile.
#include "harness/problems/gemm/product.h"

#include <cmath>

#include "harness/problems/inputs.h"
#include "tests/catch.h"

using namespace ridge::problems;

namespace {

std::vector<double> drawn(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>(random.from_one_to(2001) - 1001));
  return values;
}

}  // namespace

TEST_CASE("a product equals that of three loops, for both layouts of the second factor") {
  const int64_t shapes[][3] = {{1, 1, 1},    {6, 8, 256},    {5, 7, 255},   {7, 9, 257},
                               {97, 17, 30}, {192, 24, 513}, {3, 100, 700}, {100, 3, 2}};
  for (const auto& [m, n, k] : shapes) {
    INFO(m << " x " << n << " x " << k);
    const std::vector<double> a = drawn(m * k, 1), b = drawn(k * n, 2);
    std::vector<double> turned(b.size());
    LargeArray<double> wanted(static_cast<size_t>(m * n), 0.0);
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        turned[static_cast<size_t>(j * k + p)] = b[static_cast<size_t>(p * n + j)];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t p = 0; p < k; ++p)
          wanted[static_cast<size_t>(i * n + j)] +=
              a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(p * n + j)];
    // Sums of whole numbers below 2^53 are exact, in any order.
    CHECK(multiply(a, b, Factor::rows_of_n, m, n, k) == wanted);
    CHECK(multiply(a, turned, Factor::rows_of_k, m, n, k) == wanted);
  }
}

TEST_CASE("the reference of some rows equals those rows of the whole, for every product") {
  const std::vector<int64_t> rows = {0, 3, 4, 17, 36};
  for (const char* name : {"gemm", "gemm_bf16", "gemm_fp8", "gemm_whole_tiles"}) {
    INFO(name);
    const Problem& problem = find_problem(name);
    const Case given = make_case(problem, {37, 40, 48}, Draw::uniform, 5);
    const Expected whole = std::move(problem.reference(given).front());
    const Expected some = problem.reference_of_rows(given, rows);
    CHECK(some.buffer == whole.buffer);
    REQUIRE(some.value.size() == rows.size() * 40);
    REQUIRE(some.tolerance.size() == some.value.size());
    for (size_t i = 0; i < some.value.size(); ++i) {
      const auto at = static_cast<size_t>(rows[i / 40]) * 40 + i % 40;
      // A row at the edge of a tile is summed without fused multiply-adds.
      REQUIRE_THAT(some.value[i], Catch::Matchers::WithinAbs(whole.value[at], 1e-12));
      REQUIRE_THAT(some.tolerance[i],
                   Catch::Matchers::WithinRel(static_cast<double>(whole.tolerance[at]), 1e-5));
    }
  }
}
