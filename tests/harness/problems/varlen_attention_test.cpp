// varlen_attention: the lengths of a ragged batch, and its reference against attention of each sequence
// and head by itself.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "harness/problems/attention/attention.h"
#include "harness/problems/attention/ragged_lengths.h"
#include "harness/problems/inputs.h"
#include "tests/catch.h"

using namespace ridge::problems;

namespace {

constexpr size_t kD = 128;

// Rows first, first + stride, ... of a matrix of bfloat16 with kD columns, one behind the other.
std::vector<std::byte> rows_of(const Case& given, size_t buffer, int64_t first, int64_t stride, int64_t count) {
  std::vector<std::byte> rows;
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* row = given.initial[buffer].data() + static_cast<size_t>(first + i * stride) * kD * 2;
    rows.insert(rows.end(), row, row + kD * 2);
  }
  return rows;
}

}  // namespace

TEST_CASE("the lengths of a ragged batch add up, and the timed ones follow from the size alone") {
  for (const auto& [sequences, total] : {std::pair<int64_t, int64_t>{1, 63}, {3, 7}, {16, 53'640}, {140, 600}})
    for (const Draw draw : {Draw::uniform, Draw::offset, Draw::zeros})
      for (uint64_t seed = 0; seed < 5; ++seed) {
        const std::vector<int64_t> lengths = ragged_lengths(sequences, total, draw, seed);
        CHECK(static_cast<int64_t>(lengths.size()) == sequences);
        CHECK(std::accumulate(lengths.begin(), lengths.end(), int64_t{0}) == total);
        CHECK(*std::min_element(lengths.begin(), lengths.end()) >= 0);
        if (draw == Draw::uniform) CHECK(lengths == ragged_lengths(sequences, total, draw, seed + 1));
      }
  std::vector<int64_t> timed = ragged_lengths(16, 53'640, Draw::uniform, 0);
  std::sort(timed.begin(), timed.end());
  CHECK(timed.front() == 0);
  CHECK(timed[1] == Approx(100).margin(5));
  CHECK(timed.back() == Approx(16'384).epsilon(0.01));
  CHECK(starts_of({3, 0, 2}) == std::vector<int64_t>{0, 3, 3, 5});
}

TEST_CASE("the draws of a ragged batch have empty sequences and the lengths around a tile") {
  std::vector<int64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (const int64_t length : ragged_lengths(8, 2000, Draw::offset, seed))
      seen.push_back(length);
  for (const int64_t length : {0, 1, 63, 64, 65, 127})
    CHECK(std::count(seen.begin(), seen.end(), length) > 0);
}

TEST_CASE("a ragged batch is attention of each sequence and head by itself") {
  for (const int64_t mask : {kFullMask, kCausalMask})
    for (const Draw draw : {Draw::uniform, Draw::outliers}) {
      constexpr int64_t kSequences = 5, kHeads = 2, kGroup = 2;
      const Case given =
          make_case(find_problem("varlen_attention"), {kSequences, 60, 150, kHeads, kGroup, mask}, draw, 3);
      const Expected all = given.problem->reference(given).front();
      const auto queries = given.input<int32_t>(3), keys = given.input<int32_t>(4);
      double pairs = 0;
      for (size_t i = 0; i < kSequences; ++i)
        for (int64_t head = 0; head < kHeads * kGroup; ++head) {
          const int64_t n = queries[i + 1] - queries[i], m = keys[i + 1] - keys[i];
          if (n == 0) continue;
          const int64_t first = queries[i] * kHeads * kGroup + head;
          if (m == 0) {
            for (int64_t row = 0; row < n; ++row)
              for (size_t c = 0; c < kD; ++c)
                CHECK(all.value[static_cast<size_t>(first + row * kHeads * kGroup) * kD + c] == 0);
            continue;
          }
          Case one = make_case(find_problem("attention"), {1, n, m, 128, mask}, draw, 3);
          const auto set = [&](size_t buffer, const std::vector<std::byte>& rows) {
            std::memcpy(one.initial[buffer].data(), rows.data(), rows.size());
          };
          set(0, rows_of(given, 0, first, kHeads * kGroup, n));
          for (const size_t buffer : {size_t{1}, size_t{2}})
            set(buffer, rows_of(given, buffer, keys[i] * kHeads + head / kGroup, kHeads, m));
          const Expected expected = one.problem->reference(one).front();
          for (size_t row = 0; row < static_cast<size_t>(n); ++row)
            for (size_t c = 0; c < kD; ++c)
              CHECK(all.value[(static_cast<size_t>(first) + row * kHeads * kGroup) * kD + c] ==
                    expected.value[row * kD + c]);
          pairs += AttentionShape({1, n, m, 128, mask}).visible_pairs();
        }
      if (draw == Draw::uniform)
        CHECK(given.problem->operations(given.sizes) == Approx(4 * 128 * pairs));
    }
}
