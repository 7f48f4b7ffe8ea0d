// What a file declares to be tuned, and the file with other values in those places.
//
//   constexpr int kTileM = 128;  // tune: 64, 128, 256      rows of C a block
//
// The comment lists what the constant may be: whole numbers, or true and false; words may follow. The value
// that stands there is always one of them.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridge::tune {

// The file's declarations cannot be used: "line 23: what is wrong; what to write".
struct DeclarationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Parameter {
  std::string name;
  std::vector<int64_t> values;  // ascending, each once
  size_t current = 0;           // the index of the one that stands in the file
  bool boolean = false;
  size_t line = 0;                      // from 1
  size_t text_begin = 0, text_end = 0;  // of the value, in the file's text
  std::string text_of(int64_t value) const;
};

using Values = std::vector<int64_t>;  // one a parameter, in the file's order

class Space {
 public:
  explicit Space(std::string text);  // throws DeclarationError; a file without `tune:` has no parameters

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::string& text() const { return text_; }
  Values current() const;
  // Keeps only these values of a parameter; the one that stands in the file goes too if it is not among them.
  // Throws DeclarationError when there is no such parameter or it cannot be that.
  void restrict_to(const std::string& name, std::span<const int64_t> values);

  size_t size() const;  // all combinations; saturates
  std::vector<Values> all() const;
  // The file with these values: every other character, and so every line number, as it is.
  std::string text_with(const Values& values) const;
  // The file with a mark in the place of every value: equal for all settings of one file.
  std::string text_without_values() const;
  // "kTileM = 128, kStages = 3"; names left out: "128 3".
  std::string describe(const Values& values) const;

 private:
  std::string replaced(const std::vector<std::string>& pieces) const;
  std::string text_;
  std::vector<Parameter> parameters_;
};

}  // namespace ridge::tune
