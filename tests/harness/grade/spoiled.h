// A right answer with something wrong in it.
#pragma once

#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "harness/grade/diagnosis/error_map.h"

namespace ridge::tests {

using namespace ridge::problems;

inline const float kUntouched = std::bit_cast<float>(kPoison);

// The right output of the problem, as floats, after `spoil` had a go at element i of n.
struct Spoiled {
  Case given;
  Expected expected;
  std::vector<float> got;

  Spoiled(const char* problem, Sizes sizes, const std::function<float(const Expected&, size_t)>& spoil)
      : given(make_case(find_problem(problem), sizes, Draw::uniform, 3)),
        expected(given.problem->reference(given).front()) {
    for (size_t i = 0; i < expected.value.size(); ++i)
      got.push_back(spoil(expected, i));
  }
  grade::Output output() const {
    return {given.buffers[expected.buffer],
            expected,
            {reinterpret_cast<const std::byte*>(got.data()), got.size() * 4}};
  }
};

// "wrong.one_range first=c[3] ..." and what the values are: what the tests compare.
inline std::string described(const grade::Pattern& pattern) {
  return pattern.finding.described() + (pattern.values ? "; " + pattern.values->described() : "");
}

inline float right(const Expected& e, size_t i) {
  return static_cast<float>(e.value[i]);
}

}  // namespace ridge::tests
