// Finds wrong values that are the right values of other elements: the preceding element, the same
// element of another row, the first lane of the warp. The origin of a value is looked up among the
// expected values. A few origins suggest a rule; the rule counts when it holds for all wrong
// elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

namespace {

constexpr int64_t kNowhere = -1;
constexpr size_t kMostLookedAt = 4096;

// kNowhere: the rule makes no statement on this element.
using From = std::function<int64_t(int64_t)>;

class Places {
 public:
  explicit Places(const Output& o) : o_(o) {
    for (int64_t i = 0; i < o.elements(); ++i)
      if (has_wrong_value(o, i)) wrong_.push_back(i);
  }
  const std::vector<int64_t>& wrong() const { return wrong_; }

  // True when each wrong element has the value that is right at from(element). Elements without an
  // origin are skipped if they are the minority.
  bool come(const From& from) const {
    const size_t step = std::max<size_t>(1, wrong_.size() / kMostLookedAt);
    size_t with_place = 0, looked_at = 0;
    for (size_t k = 0; k < wrong_.size(); k += step) {
      ++looked_at;
      const int64_t place = from(wrong_[k]);
      if (place < 0 || place >= o_.elements()) continue;
      ++with_place;
      if (!o_.would_be_right_at(wrong_[k], place)) return false;
    }
    return with_place >= 4 && 2 * with_place > looked_at;
  }

  // Places whose right answer this element has; empty when there are many, as for 0.
  std::vector<int64_t> sources(int64_t index) const {
    std::vector<int64_t> found;
    for (int64_t i = 0; i < o_.elements(); ++i) {
      if (!o_.would_be_right_at(index, i)) continue;
      if (found.size() == 3) return {};
      found.push_back(i);
    }
    return found;
  }

 private:
  const Output& o_;
  std::vector<int64_t> wrong_;
};

int64_t inside(int64_t value, int64_t limit, int64_t result) {
  return value >= 0 && value < limit ? result : kNowhere;
}

std::string distance_words(int64_t by, int64_t cols, bool matrix) {
  const int64_t far = std::abs(by);
  const char* side = by > 0 ? "after" : "before";
  if (matrix && far == cols) return fmt::format("in the row {} it", side);
  if (matrix && far % cols == 0) return fmt::format("{} rows {} it", far / cols, side);
  return fmt::format("{} {} it", far, side);
}

Answer shifted(const Output& o, const Places& places) {
  // Derive the rule from the middle of the wrong elements: at an end the origin may not exist.
  const auto& wrong = places.wrong();
  const bool matrix = o.rows() > 1 && o.cols() > 1;
  for (const int64_t index : {wrong[wrong.size() / 2], wrong[wrong.size() / 3]}) {
    for (const int64_t source : places.sources(index)) {
      const int64_t by = source - index;
      if (by == 0 || !places.come([&](int64_t i) { return i + by; })) continue;
      const bool rows = matrix && by % o.cols() == 0;
      return Finding{"wrong.shifted",
                     {{"every", every_one(o)},
                      {"place", distance_words(by, o.cols(), matrix)},
                      {"what", rows ? "row" : "index"},
                      {"by", std::abs(rows ? by / o.cols() : by)}}};
    }
  }
  return {};
}

Answer reversed(const Output& o, const Places& places) {
  const int64_t n = o.elements(), rows = o.rows(), cols = o.cols();
  if (places.come([&](int64_t i) { return n - 1 - i; }))
    return Finding{"wrong.reversed", {{"first", o.name(0)}, {"last", o.name(n - 1)}}};
  if (rows < 2 || cols < 2) return {};
  if (places.come([&](int64_t i) { return i / cols * cols + cols - 1 - i % cols; }))
    return Finding{"wrong.rows_reversed_within", {}};
  if (places.come([&](int64_t i) { return (rows - 1 - i / cols) * cols + i % cols; }))
    return Finding{"wrong.rows_reversed", {}};
  return {};
}

Answer of_a_group(const Output& o, const Places& places) {
  for (const int64_t k : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    if (k >= o.elements()) break;
    const std::string whose = k == 32 ? " of 32 (a warp)" : fmt::format(" of {}", k);
    if (places.come([&](int64_t i) { return i - i % k; }))
      return Finding{"wrong.first_of_group", {{"every", every_one(o)}, {"group", whose}}};
    if (places.come([&](int64_t i) { return i / k; })) return Finding{"wrong.index_divided", {{"by", k}}};
    if (places.come([&](int64_t i) { return i % k; }))
      return Finding{"wrong.block_index_missing", {{"period", k}}};
    if (places.come([&](int64_t i) { return i < o.elements() / k ? i * k : kNowhere; }))
      return Finding{"wrong.index_multiplied", {{"by", k}}};
    if (places.come([&](int64_t i) { return inside(i ^ (k / 2), o.elements(), i ^ (k / 2)); }))
      return Finding{"wrong.exchanged_pairs", {{"distance", k / 2}}};
    if (places.come([&](int64_t i) {
          return inside(i / k * k + k - 1 - i % k, o.elements(), i / k * k + k - 1 - i % k);
        }))
      return Finding{"wrong.group_reversed", {{"group", k}}};
    for (const int64_t by : {int64_t{1}, k - 1}) {
      const auto turned = [&](int64_t i) { return i / k * k + (i + by) % k; };
      if (k > 2 && places.come([&](int64_t i) { return inside(turned(i), o.elements(), turned(i)); }))
        return Finding{"wrong.group_rotated", {{"group", k}}};
    }
  }
  return {};
}

Answer in_tiles(const Output& o, const Places& places) {
  if (o.rows() < 2 || o.cols() < 2) return {};
  const int64_t rows = o.rows(), cols = o.cols();
  const auto at = [&](int64_t r, int64_t c) {
    return r >= 0 && r < rows && c >= 0 && c < cols ? r * cols + c : kNowhere;
  };
  for (const int64_t t : {4, 8, 16, 32, 64}) {
    if (t >= std::max(rows, cols)) break;
    const auto inner = [&](int64_t i) {
      const int64_t r = i / cols, c = i % cols;
      return at(r / t * t + c % t, c / t * t + r % t);
    };
    if (places.come(inner)) return Finding{"wrong.tile_transposed", {{"tile", t}}};
    const auto outer = [&](int64_t i) {
      const int64_t r = i / cols, c = i % cols;
      return at(c / t * t + r % t, r / t * t + c % t);
    };
    if (places.come(outer)) return Finding{"wrong.tiles_exchanged", {{"tile", t}}};
  }
  return {};
}

// No known rule, but each value is right at some place: elements were permuted.
Answer misplaced(const Output& o, const Places& places) {
  constexpr size_t kSample = 48;
  const auto& wrong = places.wrong();
  bool in_row = true, in_column = true;
  const size_t sample = std::min(kSample, wrong.size());
  std::set<int64_t> all;
  for (size_t k = 0; k < sample; ++k) {
    const int64_t index = wrong[k * wrong.size() / sample];
    const std::vector<int64_t> sources = places.sources(index);
    if (sources.empty()) return {};
    all.insert(sources.begin(), sources.end());
    const auto any = [&](auto holds) { return std::any_of(sources.begin(), sources.end(), holds); };
    in_row &= any([&](int64_t s) { return s / o.cols() == index / o.cols(); });
    in_column &= any([&](int64_t s) { return s % o.cols() == index % o.cols(); });
  }
  // Values near 0 are right wherever the answer is near 0: that is not a permutation.
  if (2 * all.size() < sample) return {};
  const bool matrix = o.rows() > 1 && o.cols() > 1;
  const char* where = matrix && in_row ? " in its row" : matrix && in_column ? " in its column" : "";
  return Finding{"wrong.misplaced", {{"every", every_one(o)}, {"where", where}}};
}

}  // namespace

Answer origin_pattern(const Output& o) {
  const Places places(o);
  // A few matches may be chance; and if most elements were never written, that must be fixed first.
  if (places.wrong().size() < 8 || 2 * static_cast<int64_t>(places.wrong().size()) < o.wrong()) return {};
  for (auto* kind : {shifted, reversed, in_tiles, of_a_group, misplaced})
    if (Answer answer = kind(o, places)) return answer;
  return {};
}

}  // namespace ridge::grade
