// Sums of fp8 products as tensor cores add them: dropped bits are forgiven, products left out are not.
#include <cmath>

#include "harness/problems/compare.h"
#include "tests/catch.h"

using namespace ridge::problems;

namespace {

// Toward zero, so many bits below the leading one of `scale`.
double cut(double value, double scale, int bits) {
  const double unit = std::ldexp(1.0, std::ilogb(scale) - bits);
  return std::trunc(value / unit) * unit;
}

// c as instructions of 32 along k make it, whose sums keep `bits` bits of the largest; the instruction
// `left_out` is forgotten.
std::vector<std::byte> computed(const Case& given, int bits, int64_t left_out) {
  const int64_t m = given.sizes[0], n = given.sizes[1], k = given.sizes[2];
  auto element = [&](size_t buffer, int64_t index) {
    return load_element(Type::float8_e4m3, given.initial[buffer].data(), index);
  };
  std::vector<std::byte> c(static_cast<size_t>(given.buffers[2].bytes()));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t first = 0; first < k; first += 32) {
        if (first / 32 == left_out) continue;
        double products = 0;
        for (int64_t p = first; p < std::min(k, first + 32); ++p)
          products += element(0, i * k + p) * element(1, j * k + p);
        const double all = sum + products;
        sum = all == 0 ? 0 : cut(all, all, bits);
      }
      store_element(Type::bfloat16, c.data(), i * n + j, sum);
    }
  return c;
}

int64_t wrong(const Case& given, const std::vector<std::byte>& c) {
  return compare(given.buffers[2], given.problem->reference(given).front(), c).wrong;
}

}  // namespace

TEST_CASE("fp8 products may lose a bit of their sum in every instruction, but no instruction") {
  for (int64_t k : {32, 272, 656}) {
    for (Draw draw : {Draw::uniform, Draw::alternating}) {
      const Case given = make_case(find_problem("gemm_fp8"), {9, 24, k}, draw, 7);
      INFO("k = " << k << ", " << to_string(draw));
      CHECK(wrong(given, computed(given, 23, -1)) == 0);
      CHECK(wrong(given, computed(given, 11, -1)) == 0);  // what an H200 was seen to lose
      CHECK(wrong(given, computed(given, 23, k / 64)) > 9 * 24 / 2);
      CHECK(wrong(given, computed(given, 5, -1)) > 0);
    }
  }
}
