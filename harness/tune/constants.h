// The arithmetic of a file's constants, without a compiler: what `constexpr` values and `static_assert`s come
// to when the tuned constants have certain values. What is not understood (sizeof of a struct, a function, a
// name declared twice) is left to nvcc: it is unknown, never wrong.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/tune/space.h"

namespace ridge::tune {

using Known = std::map<std::string, int64_t>;

// A C++ expression of whole numbers with the precedence of C++; none where anything in it is not known.
// 64-bit; a division by zero is not known.
std::optional<int64_t> evaluate(const std::string& expression, const Known& known);

class Constants {
 public:
  explicit Constants(const std::string& source);
  // Every `constexpr` whole number that can be worked out, the tuned ones as given.
  Known with(const Space& space, const Values& values) const;
  // What the file itself forbids: the message of the first static_assert that is false, or its expression.
  // Empty: none that is known to be.
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
