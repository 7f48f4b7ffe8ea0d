#include "harness/problems/embedding/indices.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

constexpr double kZipfExponent = 1.05;

double unit(uint64_t bits) {  // in [0, 1)
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// Draws ranks 1 .. n with probabilities proportional to k^-s without a table (W. Hörmann and G. Derflinger,
// "Rejection-inversion to generate variates from monotone discrete distributions", 1996).
class Zipf {
 public:
  explicit Zipf(int64_t n)
      : n_(static_cast<double>(n)),
        first_(integral(1.5) - 1),
        last_(integral(n_ + 0.5)),
        surely_(2 - inverse(integral(2.5) - std::pow(2.0, -kZipfExponent))) {}

  int64_t rank(Random& random) const {
    while (true) {
      const double u = last_ + unit(random.next()) * (first_ - last_), x = inverse(u);
      const double k = std::clamp(std::floor(x + 0.5), 1.0, n_);
      if (k - x <= surely_ || u >= integral(k + 0.5) - std::pow(k, -kZipfExponent))
        return static_cast<int64_t>(k);
    }
  }

 private:
  // The integral of x^-s, and its inverse.
  static double integral(double x) { return std::pow(x, 1 - kZipfExponent) / (1 - kZipfExponent); }
  static double inverse(double y) { return std::pow((1 - kZipfExponent) * y, 1 / (1 - kZipfExponent)); }
  double n_, first_, last_, surely_;
};

// Spreads the ranks over the table. The mapping is one-to-one because the factor is a prime larger
// than any number of rows.
int64_t row_of_rank(int64_t rank, int64_t rows, uint64_t shift) {
  constexpr uint64_t kPrime = 4294967291;
  const auto of = static_cast<uint64_t>(rows);
  return static_cast<int64_t>((static_cast<uint64_t>(rank - 1) % of * (kPrime % of) + shift % of) % of);
}

}  // namespace

Distribution distribution_of(Draw draw, Distribution own) {
  switch (draw) {
    case Draw::uniform:
    case Draw::zeros:
    case Draw::denormals:
      return own;
    case Draw::offset:
      return own == Distribution::zipf ? Distribution::uniform : Distribution::zipf;
    case Draw::outliers:
      return Distribution::last_rows;
    case Draw::alternating:
      return Distribution::one_row;
    case Draw::ascending:
      return Distribution::ascending;
  }
  return own;
}

void draw_indices(std::span<int64_t> indices, int64_t rows, Distribution distribution, uint64_t seed) {
  const Zipf zipf(rows);
  const uint64_t shift = mix(seed);
  const auto count = static_cast<int64_t>(indices.size());
  rows_in_parallel(count, 1 << 14, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      Random random(seed + 0x632be59bd9b4e019 * static_cast<uint64_t>(i + 1));
      int64_t& index = indices[static_cast<size_t>(i)];
      const bool padded = random.next() % kPaddedOneIn == 0;
      switch (distribution) {
        case Distribution::uniform:
          index = random.from_one_to(rows) - 1;
          break;
        case Distribution::zipf:
          index = row_of_rank(zipf.rank(random), rows, shift);
          break;
        case Distribution::one_row:
          index = static_cast<int64_t>(shift % static_cast<uint64_t>(rows));
          break;
        case Distribution::ascending:
          index = i * rows / count;
          break;
        case Distribution::last_rows:
          index = std::max<int64_t>(0, rows - random.from_one_to(2));
          break;
      }
      if (padded) index = kPadding;
    }
  });
}

void draw_offsets(std::span<int64_t> offsets, int64_t lookups, uint64_t seed) {
  Random random(seed);
  std::vector<double> until = {0};  // cumulative weights of the bags
  for (size_t bag = 0; bag + 1 < offsets.size(); ++bag) {
    const uint64_t kind = random.next() % 8;
    const double length = kind == 0 ? 0 : (kind == 1 ? 8 : 1) * (0.25 + 1.5 * unit(random.next()));
    until.push_back(until.back() + length);
  }
  for (size_t bag = 0; bag < offsets.size(); ++bag)
    offsets[bag] = until.back() > 0 ? static_cast<int64_t>(static_cast<double>(lookups) * until[bag] / until.back())
                                    : 0;
  offsets.back() = lookups;
}

IndexCounts counts_of(std::span<const int64_t> indices, int64_t rows) {
  std::vector<bool> named(static_cast<size_t>(rows));
  IndexCounts counts;
  for (const int64_t index : indices) {
    if (index == kPadding) continue;
    ++counts.valid;
    if (named[static_cast<size_t>(index)]) continue;
    named[static_cast<size_t>(index)] = true;
    ++counts.distinct;
  }
  return counts;
}

}  // namespace ridge::problems
