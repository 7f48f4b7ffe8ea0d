// The learner's file, for messages: the names of a kernel's parameters, the index on a line, the conditions
// around a barrier. The compiled code has none of them. Every function answers with nothing where the text is
// not as expected.
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
  // `file`: as the compiler knows it; only its name counts. `folders`: where the headers are.
  LearnerSource(const std::filesystem::path& file, std::string text,
                std::vector<std::filesystem::path> folders = {});

  // The names of a kernel's parameters. `kernel`: demangled, with or without namespace, types and arguments.
  std::vector<std::string> parameters(std::string_view kernel) const;
  // The line of a file, without comments and white space at its ends. "" where there is none.
  std::string line(std::string_view file, uint32_t number) const;
  // The expression between the brackets behind `array` on a line of the learner's file.
  std::string index_of(uint32_t line, std::string_view array) const;

  enum class Around { nothing, branch, loop };
  struct Enclosing {
    Around kind = Around::nothing;
    std::string condition;  // "threadIdx.x < 16"; of a loop: all between its parentheses
  };
  // What a line of the learner's file stands in, from the inside: the first `if`, or the first loop.
  Enclosing enclosing(uint32_t line) const;
  // Whether a `return` comes before the line in the same function.
  bool returns_before(uint32_t line) const;
  // The `if`, `for` and `while` conditions of the function up to the line that compare something with < or >=.
  std::vector<std::string> guards_before(uint32_t line) const;
  // The step of the innermost loop around the line: {"i", "gridDim.x"} for `i += gridDim.x`.
  struct Step {
    std::string variable, by;
  };
  std::optional<Step> loop_step(uint32_t line) const;
  // The name that a call on a line gives its first argument: `init(&shared.full[i], 1)` gives {"full", true}.
  struct Argument {
    std::string name;
    bool is_element = false;  // of an array, or the result of a function
  };
  std::optional<Argument> first_argument(std::string_view file, uint32_t line,
                                         std::string_view function) const;
  bool mentions(std::string_view word) const;
  SharedNames shared_names() const { return SharedNames(code_); }
  // Whether it is the learner's file, and not a header.
  bool is_own(std::string_view file) const;
  // Whether two expressions have a variable or a function in common.
  static bool share_a_name(std::string_view one, std::string_view other);

 private:
  const std::string* code_of_file(std::string_view file) const;
  // Of the function that the line is in: where its body begins; npos: the line is in none.
  size_t body_begin(size_t at) const;
  size_t begin_of_line(const std::string& code, uint32_t number) const;

  std::string name_;
  std::string code_;  // comments and the insides of texts are blanks
  std::vector<std::filesystem::path> folders_;
  mutable std::vector<std::pair<std::string, std::string>> headers_;  // by name, as read
};

}  // namespace ridge::grade
