// Small mistakes made by machine in a solution: what a learner might write instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::cli {

struct Mutation {
  size_t line = 0;     // from 1
  std::string kind;    // "statement deleted", "guard removed", "indices swapped", ...
  std::string before;  // the line as it was, without the blanks around it
  std::string after;   // and as it is now
  std::string source;  // the whole file
};

// Every mutation of the code; comments, texts and lines of the preprocessor stay as they are. In the order of
// the file, always the same.
std::vector<Mutation> mutations_of(std::string_view source);

}  // namespace ridge::cli
