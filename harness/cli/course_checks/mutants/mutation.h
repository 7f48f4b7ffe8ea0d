// Small automatic mutations of a solution: mistakes that a student might make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::cli {

struct Mutation {
  size_t line = 0;     // from 1
  std::string kind;    // "statement deleted", "guard removed", "indices swapped", ...
  std::string before;  // the original line without surrounding blanks
  std::string after;   // the changed line
  std::string source;  // the whole file
};

// Every mutation of the code. Comments, strings and preprocessor lines stay unchanged. In the order
// of the file; deterministic.
std::vector<Mutation> mutations_of(std::string_view source);

}  // namespace ridge::cli
