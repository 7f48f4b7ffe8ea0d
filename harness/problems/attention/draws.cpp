#include "harness/problems/attention/draws.h"

#include <cmath>

#include "harness/problems/attention/attention.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

struct DrawnPlace {
  size_t buffer;  // kQueries, kKeys or kValues
  int64_t row, column;
  uint64_t row_bits;  // random, the same for a whole row
};
constexpr uint64_t kOneOutlierIn = 89;

// In [-1, 1).
double unit_value(uint64_t bits) {
  return static_cast<double>(static_cast<int64_t>(bits >> 40) - (1 << 23)) * 0x1p-23;
}

// With q in [-6, 6] and k in [-1, 1] a logit has the variance 12 / 3 = 4.
double plain_logits(const DrawnPlace& at, double value) {
  return at.buffer == kQueries ? 6 * value : value;
}

// Column 0 of q and k alone makes logits of 1024 * 128 / sqrt(d): 16,384 or 11,585. The other columns
// change them by a quarter, so that most weights are near the largest and a few hundred values add
// up to more than float16 can hold.
double large_logits(const DrawnPlace& at, double value) {
  if (at.buffer == kValues) return 1000 + 8 * value;
  if (at.column > 0) return plain_logits(at, value) / (at.buffer == kQueries ? 8 : 1);
  if (at.buffer == kKeys) return 128;
  return at.row_bits % 2 == 0 ? 1024 : -1024;
}

// Columns 0 and 1 of k count the keys of a head in 64ths, in two numbers that bfloat16 can hold, and
// those of q are the growth of the logits from key to key: 1 or 1/64 for d = 64.
double ascending_logits(const DrawnPlace& at, double value, int64_t keys) {
  constexpr int64_t kKeysPerStep = 64;
  if (at.buffer == kValues) return value;
  if (at.column > 1) return value / 16;
  if (at.buffer == kQueries) return (at.row % 4 < 2 ? 8 : 512) * (at.row % 2 == 0 ? 1 : -1);
  const int64_t key = at.row % keys;
  return at.column == 0
             ? static_cast<double>(key / kKeysPerStep)
             : static_cast<double>(key % kKeysPerStep) / static_cast<double>(kKeysPerStep);
}

double draw_element(Draw draw, const DrawnPlace& at, uint64_t bits, int64_t keys) {
  const double value = unit_value(bits);
  switch (draw) {
    case Draw::uniform:
      break;
    case Draw::offset:
      return large_logits(at, value);
    case Draw::outliers:
      if (at.buffer == kKeys && at.row_bits % kOneOutlierIn == 0) return 100 * value;
      if (at.buffer == kValues && bits % kOneOutlierIn == 0) return 1000 * value;
      break;
    case Draw::alternating:
      if (at.buffer == kQueries) return 0.5 + std::fabs(value);
      if (at.buffer == kKeys) return (at.row % 2 == 0 ? 1 : -1) * (0.5 + std::fabs(value));
      break;
    case Draw::zeros:
      if (at.buffer == kQueries && at.row % 2 == 0) return 0;
      if (at.buffer == kValues && bits % 2 == 0) return bits % 4 == 0 ? 0.0 : -0.0;
      break;
    case Draw::denormals:
      if (at.buffer != kQueries && bits % 3 == 0) return value * 0x1p-130;
      break;
    case Draw::ascending:
      return ascending_logits(at, value, keys);
  }
  return plain_logits(at, value);
}

}  // namespace

void fill_attention(const Fill& fill) {
  const AttentionShape shape(fill.sizes);
  const int64_t rows = shape.heads * (fill.buffer == kQueries ? shape.queries : shape.keys);
  const Random random(fill.seed);
  rows_in_parallel(rows, 64, [&](int64_t first, int64_t last) {
    Random own = random;
    own.skip(first * shape.d);
    for (int64_t row = first; row < last; ++row) {
      const uint64_t row_bits = mix(fill.seed ^ mix(static_cast<uint64_t>(row)));
      for (int64_t column = 0; column < shape.d; ++column)
        store_element(
            Type::bfloat16, fill.data.data(), row * shape.d + column,
            draw_element(fill.draw, {fill.buffer, row, column, row_bits}, own.next(), shape.keys));
    }
  });
}

}  // namespace ridge::problems
