// Evaluates a file's constants without a compiler: the values of `constexpr` constants and
// `static_assert`s for given values of the tuned constants. What is not understood (sizeof of a
// struct, a function, a name declared twice) is left to nvcc: the result is then unknown, never
// wrong.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/tune/space.h"

namespace ridge::tune {

using Known = std::map<std::string, int64_t>;

// Evaluates a C++ integer expression with the precedence of C++; no value when any part is unknown.
// 64-bit; a division by zero is unknown.
std::optional<int64_t> evaluate(const std::string& expression, const Known& known);

class Constants {
 public:
  explicit Constants(const std::string& source);
  // Every `constexpr` integer that can be evaluated, with the given values of the tuned ones.
  Known with(const Space& space, const Values& values) const;
  // The message of the first static_assert that is known to be false, or its expression; empty:
  // none.
  std::string forbidden(const Known& known) const;

 private:
  struct Definition {
    std::string name, expression;
  };
  struct Assertion {
    std::string expression, message;
  };
  std::vector<Definition> definitions_;  // in the file's order
  std::vector<Assertion> assertions_;
};

}  // namespace ridge::tune
