// Reads the student's source for messages: the names of a kernel's parameters, the index on a line,
// the conditions around a barrier. The compiled code has none of them. Every function returns an
// empty result when the text has an unexpected form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/grade/findings/shared_names.h"

namespace ridge::grade {

class LearnerSource {
 public:
  LearnerSource() = default;
  // `file`: as the compiler knows it; only its name is used. `folders`: where the headers are.
  LearnerSource(const std::filesystem::path& file, std::string text,
                std::vector<std::filesystem::path> folders = {});

  // The names of a kernel's parameters. `kernel`: demangled, with or without namespace, types and
  // arguments.
  std::vector<std::string> parameters(std::string_view kernel) const;
  // The line of a file without comments and surrounding white space; "" when it does not exist.
  std::string line(std::string_view file, uint32_t number) const;
  // The expression in the brackets after `array` on a line of the student's file.
  std::string index_of(uint32_t line, std::string_view array) const;

  enum class Around { nothing, branch, loop };
  struct Enclosing {
    Around kind = Around::nothing;
    std::string condition;  // "threadIdx.x < 16"; for a loop everything in its parentheses
  };
  // The innermost `if` or loop that contains a line of the student's file.
  Enclosing enclosing(uint32_t line) const;
  // True when a `return` precedes the line in the same function.
  bool returns_before(uint32_t line) const;
  // The `if`, `for` and `while` conditions between the beginning of the function and the line that
  // compare something with < or >=.
  std::vector<std::string> guards_before(uint32_t line) const;
  // The step of the innermost loop around the line: {"i", "gridDim.x"} for `i += gridDim.x`.
  struct Step {
    std::string variable, by;
  };
  std::optional<Step> loop_step(uint32_t line) const;
  // The first argument of a call on a line: `init(&shared.full[i], 1)` gives {"full", true}.
  struct Argument {
    std::string name;
    bool is_element = false;  // an array element, or the result of a function
  };
  std::optional<Argument> first_argument(std::string_view file, uint32_t line,
                                         std::string_view function) const;
  bool mentions(std::string_view word) const;
  SharedNames shared_names() const { return SharedNames(code_); }
  // True for the student's file, false for a header.
  bool is_own(std::string_view file) const;
  // True when two expressions have a variable or a function in common.
  static bool share_a_name(std::string_view one, std::string_view other);

 private:
  const std::string* code_of_file(std::string_view file) const;
  // The beginning of the body of the function that contains the line; npos: the line is in no
  // function.
  size_t body_begin(size_t at) const;
  size_t begin_of_line(const std::string& code, uint32_t number) const;

  std::string name_;
  std::string code_;  // comments and contents of strings replaced by blanks
  std::vector<std::filesystem::path> folders_;
  mutable std::vector<std::pair<std::string, std::string>> headers_;  // by name; read on first use
};

}  // namespace ridge::grade
