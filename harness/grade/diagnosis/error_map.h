// Locates the errors in an output: a small picture, and a sentence on the pattern.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/grade/findings/error_map.h"
#include "harness/grade/findings/finding.h"
#include "harness/problems/compare.h"

namespace ridge::grade {

// One output of one case, compared with its reference.
class Output {
 public:
  // `initial`: the values of an in-out buffer before the call; empty for a pure output.
  Output(const problems::Buffer& buffer, const problems::Expected& expected, std::span<const std::byte> got,
         std::span<const std::byte> initial = {});

  int64_t elements() const { return static_cast<int64_t>(states_.size()); }
  // Product of all extents but the last; 1 for a vector.
  int64_t rows() const { return elements() / cols(); }
  int64_t cols() const { return buffer_.extent.back(); }
  problems::State state(int64_t index) const { return states_[static_cast<size_t>(index)]; }
  bool right(int64_t index) const { return state(index) == problems::State::right; }
  double got(int64_t index) const { return problems::load_element(buffer_.type, got_.data(), index); }
  double expected(int64_t index) const { return expected_.value[static_cast<size_t>(index)]; }
  // True when the value at `index` is the right answer for `other`.
  bool would_be_right_at(int64_t index, int64_t other) const;
  int64_t wrong() const { return wrong_; }
  // Number of wrong elements that still have their value from before the call: the fill pattern, or
  // the initial value of an in-out buffer.
  int64_t untouched() const { return untouched_; }
  bool had_values() const { return !initial_.empty(); }
  // The value of an in-out buffer before the call.
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

// A common property of the wrong elements.
struct Pattern {
  Finding finding;
  // What the wrong values are, when `finding` describes their places.
  std::optional<Finding> values = {};
  bool scattered = false;              // `finding` only says that the places have no pattern

  std::string sentence() const;
  std::string next() const;
  // True when the advice would fit any wrong answer, so that other knowledge is more useful.
  bool is_vague() const { return scattered && !values; }
};
// With `given`, also relates the wrong values to the inputs.
Pattern explain(const Output& output, const problems::Case* given = nullptr);

// No map for fewer than 8 elements.
std::optional<ErrorMap> error_map(const Output& output);

// The first five: " c[32] expected 0.5, got nan (never written)".
std::string first_mismatches(const Output& output);

}  // namespace ridge::grade
