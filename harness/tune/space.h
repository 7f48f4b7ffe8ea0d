// The parameters that a file declares for tuning, and the file with other values for them.
//
//   constexpr int kTileM = 128;  // tune: 64, 128, 256      rows of C per block
//
// The comment lists the possible values: integers, or true and false; a description may follow. The
// current value is always one of them.
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
  size_t current = 0;           // index of the value in the file
  bool boolean = false;
  size_t line = 0;                      // from 1
  size_t text_begin = 0, text_end = 0;  // position of the value in the file's text
  std::string text_of(int64_t value) const;
};

using Values = std::vector<int64_t>;  // one per parameter, in the file's order

class Space {
 public:
  explicit Space(std::string text);  // throws DeclarationError; a file without `tune:` has no parameters

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::string& text() const { return text_; }
  Values current() const;
  // Restricts a parameter to these values, even if the file's current value is not among them.
  // Throws DeclarationError when there is no such parameter or it cannot have such a value.
  void restrict_to(const std::string& name, std::span<const int64_t> values);

  size_t size() const;  // number of combinations; saturates
  std::vector<Values> all() const;
  // The file with these values; all other characters and line numbers stay unchanged.
  std::string text_with(const Values& values) const;
  // The file with a placeholder for every value: equal for all settings of one file.
  std::string text_without_values() const;
  // "kTileM = 128, kStages = 3"; without names: "128 3".
  std::string describe(const Values& values) const;

 private:
  std::string replaced(const std::vector<std::string>& pieces) const;
  std::string text_;
  std::vector<Parameter> parameters_;
};

}  // namespace ridge::tune
