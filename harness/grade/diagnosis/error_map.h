// Where in an output the errors lie: a small picture, and a sentence on the pattern.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/grade/findings/error_map.h"
#include "harness/grade/findings/finding.h"
#include "harness/problems/compare.h"

namespace ridge::grade {

// One output of one case, held against its reference.
class Output {
 public:
  // `initial`: what a buffer that is read and written held before; empty for a pure output.
  Output(const problems::Buffer& buffer, const problems::Expected& expected, std::span<const std::byte> got,
         std::span<const std::byte> initial = {});

  int64_t elements() const { return static_cast<int64_t>(states_.size()); }
  int64_t rows() const { return elements() / cols(); }  // leading extents folded; 1 for a vector
  int64_t cols() const { return buffer_.extent.back(); }
  problems::State state(int64_t index) const { return states_[static_cast<size_t>(index)]; }
  bool right(int64_t index) const { return state(index) == problems::State::right; }
  double got(int64_t index) const { return problems::load_element(buffer_.type, got_.data(), index); }
  double expected(int64_t index) const { return expected_.value[static_cast<size_t>(index)]; }
  // Is what was got at `index` the right answer for `other`?
  bool would_be_right_at(int64_t index, int64_t other) const;
  int64_t wrong() const { return wrong_; }
  // Wrong, and as it was before the call: the fill pattern, or its first value where there is one.
  int64_t untouched() const { return untouched_; }
  bool had_values() const { return !initial_.empty(); }
  // What a buffer that is read and written held before.
  double initial(int64_t index) const { return problems::load_element(buffer_.type, initial_.data(), index); }
  std::string name(int64_t index) const;  // "c[32]", "out[3][17]"
  const problems::Buffer& buffer() const { return buffer_; }
  const problems::Expected& reference() const { return expected_; }

 private:
  const problems::Buffer& buffer_;
  const problems::Expected& expected_;
  std::span<const std::byte> got_, initial_;
  std::vector<problems::State> states_;
  int64_t wrong_ = 0, untouched_ = 0;
};

// What the wrong elements have in common.
struct Pattern {
  Finding finding;
  std::optional<Finding> values = {};  // what the wrong values are, where `finding` is about their places
  bool scattered = false;              // `finding` only says that there is no pattern of places

  std::string sentence() const;
  std::string next() const;
  // The next step fits any wrong answer: what else is known says more.
  bool is_vague() const { return scattered && !values; }
};
// With `given` also what the wrong values have to do with the inputs.
Pattern explain(const Output& output, const problems::Case* given = nullptr);

// None for fewer than 8 elements.
std::optional<ErrorMap> error_map(const Output& output);

// "  c[32]  expected 0.5, got nan (never written)" for the first five.
std::string first_mismatches(const Output& output);

}  // namespace ridge::grade
