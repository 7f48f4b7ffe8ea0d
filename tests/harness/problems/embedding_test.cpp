// Embedding problems: how indices are drawn, what must move for them, and which sums are right.
#include <algorithm>
#include <cmath>
#include <map>

#include "harness/problems/compare.h"
#include "harness/problems/embedding/indices.h"
#include "tests/catch.h"

using namespace ridge::problems;

namespace {

std::vector<int64_t> drawn(int64_t lookups, int64_t rows, Distribution distribution, uint64_t seed = 3) {
  std::vector<int64_t> indices(static_cast<size_t>(lookups));
  draw_indices(indices, rows, distribution, seed);
  return indices;
}

// How often each row that is named at all is named; the most frequent first.
std::vector<int64_t> frequencies(const std::vector<int64_t>& indices) {
  std::map<int64_t, int64_t> counts;
  for (const int64_t index : indices)
    if (index != kPadding) ++counts[index];
  std::vector<int64_t> sorted;
  for (const auto& [row, count] : counts)
    sorted.push_back(count);
  std::sort(sorted.rbegin(), sorted.rend());
  return sorted;
}

float value_of(uint16_t bits) {
  return ridge::text::bfloat_to_float(bits);
}

// The table after the update in float32, lookups from the first to the last or the other way round. lost: the
// lookup that is left out, or -1.
std::vector<float> updated_table(const Case& given, bool forward, int64_t lost = -1) {
  const auto gradient = given.input<uint16_t>(0);
  const auto indices = given.input<int64_t>(1);
  const auto table = given.input<float>(2);
  std::vector<float> out(table.begin(), table.end());
  const auto cols = static_cast<size_t>(given.sizes[1]);
  const auto rate = static_cast<float>(given.scalars[0]);
  for (size_t step = 0; step < indices.size(); ++step) {
    const size_t i = forward ? step : indices.size() - 1 - step;
    if (indices[i] == kPadding || static_cast<int64_t>(i) == lost) continue;
    for (size_t c = 0; c < cols; ++c)
      out[static_cast<size_t>(indices[i]) * cols + c] -= rate * value_of(gradient[i * cols + c]);
  }
  return out;
}

bool update_is_right(const Case& given, const std::vector<float>& got) {
  const Expected expected = given.problem->reference(given).front();
  return compare(given.buffers[expected.buffer], expected, std::as_bytes(std::span(got))).right();
}

}  // namespace

TEST_CASE("every distribution names rows of the table, and pads one lookup in 32") {
  for (const Distribution distribution : {Distribution::uniform, Distribution::zipf, Distribution::one_row,
                                          Distribution::ascending, Distribution::last_rows})
    for (const int64_t rows : {1, 2, 7, 1000, 1 << 20}) {
      INFO("distribution " << static_cast<int>(distribution) << ", " << rows << " rows");
      const auto indices = drawn(8000, rows, distribution);
      CHECK(*std::min_element(indices.begin(), indices.end()) == kPadding);
      CHECK(*std::max_element(indices.begin(), indices.end()) < rows);
      const int64_t padded = std::count(indices.begin(), indices.end(), kPadding);
      CHECK((padded > 180 && padded < 320));
      CHECK(indices == drawn(8000, rows, distribution));
      if (rows > 2 && distribution != Distribution::ascending && distribution != Distribution::last_rows)
        CHECK(indices != drawn(8000, rows, distribution, 4));
    }
}

TEST_CASE("uniform indices name rows equally often, and Zipf's in proportion to k^-1.05") {
  constexpr int64_t kRows = 1000, kLookups = 200'000;
  const auto uniform = frequencies(drawn(kLookups, kRows, Distribution::uniform));
  CHECK(uniform.size() == kRows);
  CHECK(uniform.front() < 2 * uniform.back());
  const auto zipf = frequencies(drawn(kLookups, kRows, Distribution::zipf));
  double all = 0;
  for (int k = 1; k <= kRows; ++k)
    all += std::pow(k, -1.05);
  for (const size_t k : {1, 2, 5, 20, 100}) {
    const double expected = kLookups * 31.0 / 32 * std::pow(static_cast<double>(k), -1.05) / all;
    INFO("rank " << k);
    CHECK(std::fabs(static_cast<double>(zipf[k - 1]) - expected) < 6 * std::sqrt(expected) + 0.02 * expected);
  }
  CHECK(frequencies(drawn(1000, 50, Distribution::one_row)).size() == 1);
}

TEST_CASE("bags are ascending, cover all lookups, and are sometimes empty and sometimes long") {
  std::vector<int64_t> offsets(401);
  draw_offsets(offsets, 8000, 5);
  CHECK(offsets.front() == 0);
  CHECK(offsets.back() == 8000);
  int empty = 0, longer = 0;
  for (size_t bag = 0; bag < 400; ++bag) {
    REQUIRE(offsets[bag] <= offsets[bag + 1]);
    empty += offsets[bag] == offsets[bag + 1];
    longer += offsets[bag + 1] - offsets[bag] > 64;
  }
  CHECK(empty > 20);
  CHECK(longer > 10);
}

TEST_CASE("the bytes that must move follow from the indices: every distinct row once") {
  Case given = make_case(find_problem("embedding_lookup"), {10, 8, 4}, Draw::uniform, 1);
  auto* indices = reinterpret_cast<int64_t*>(given.initial[1].data());
  struct Row {
    std::array<int64_t, 4> indices;
    int64_t distinct, valid;
  };
  for (const Row& row : {Row{{1, 2, 3, 4}, 4, 4}, {{7, 7, 7, 7}, 1, 4}, {{2, -1, 2, 9}, 2, 3}, {{-1, -1, -1, -1}, 0, 0}}) {
    std::copy(row.indices.begin(), row.indices.end(), indices);
    const auto distinct = static_cast<double>(row.distinct), valid = static_cast<double>(row.valid);
    CHECK(bytes_moved(given) == distinct * 8 * 2 + 4 * 8 + 4 * 8 * 2);
    Case update = make_case(find_problem("embedding_update"), {10, 8, 4}, Draw::uniform, 1);
    std::copy(row.indices.begin(), row.indices.end(), reinterpret_cast<int64_t*>(update.initial[1].data()));
    CHECK(bytes_moved(update) == valid * 8 * 2 + 4 * 8 + 2 * distinct * 8 * 4);
  }
}

TEST_CASE("a lookup copies rows bit for bit, and padding gives zeros") {
  const Case given = make_case(find_problem("embedding_lookup"), {50, 16, 200}, Draw::uniform, 2);
  const Expected out = given.problem->reference(given).front();
  REQUIRE(out.tolerance.empty());
  const auto table = given.input<uint16_t>(0);
  const auto indices = given.input<int64_t>(1);
  for (size_t i = 0; i < 200; ++i)
    for (size_t c = 0; c < 16; ++c) {
      const double expected =
          indices[i] == kPadding ? 0.0 : static_cast<double>(value_of(table[static_cast<size_t>(indices[i]) * 16 + c]));
      REQUIRE(out.value[i * 16 + c] == expected);
    }
}

TEST_CASE("a bag is the sum of its rows, and an empty one is zero") {
  const Case given = make_case(find_problem("embedding_bag"), {50, 8, 300, 12}, Draw::uniform, 2);
  const Expected out = given.problem->reference(given).front();
  const auto table = given.input<uint16_t>(0);
  const auto indices = given.input<int64_t>(1), offsets = given.input<int64_t>(2);
  for (size_t bag = 0; bag < 12; ++bag) {
    double sum = 0;
    for (auto i = static_cast<size_t>(offsets[bag]); i < static_cast<size_t>(offsets[bag + 1]); ++i)
      if (indices[i] != kPadding) sum += static_cast<double>(value_of(table[static_cast<size_t>(indices[i]) * 8 + 3]));
    CHECK(out.value[bag * 8 + 3] == Approx(sum).margin(1e-12));
  }
}

TEST_CASE("an update in any order is correct in every draw, and a lost one is not") {
  for (int draw = 0; draw < kDraws; ++draw) {
    const Case given = make_case(find_problem("embedding_update"), {40, 8, 400}, static_cast<Draw>(draw), 9);
    INFO(to_string(given.draw));
    CHECK(update_is_right(given, updated_table(given, true)));
    CHECK(update_is_right(given, updated_table(given, false)));
    const auto indices = given.input<int64_t>(1);
    int64_t lost = 0;
    while (indices[static_cast<size_t>(lost)] == kPadding)
      ++lost;
    CHECK_FALSE(update_is_right(given, updated_table(given, true, lost)));
  }
}

TEST_CASE("a row that no lookup names must keep its bits") {
  const Case given = make_case(find_problem("embedding_update"), {300, 8, 20}, Draw::uniform, 9);
  std::vector<float> got = updated_table(given, true);
  const auto indices = given.input<int64_t>(1);
  size_t row = 0;
  while (std::find(indices.begin(), indices.end(), static_cast<int64_t>(row)) != indices.end())
    ++row;
  got[row * 8] = std::nextafter(got[row * 8], 2.0f);
  CHECK_FALSE(update_is_right(given, got));
}
