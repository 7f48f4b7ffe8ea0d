// A text in which a program's blocks and a person's words take turns, and rewriting the one keeps the other.
#pragma once

#include <string>
#include <vector>

namespace ridge::report {

struct MarkedBlock {
  std::string key;    // "run 12"
  std::string text;   // the program's; with a line feed at the end
  std::string words;  // the person's, below it: a new block's first content
};

// The blocks as lines between "<!-- ridge: KEY -->" and "<!-- ridge: end -->", each followed by its words. Of
// a block that `before` has too, by its key, the words are those in `before`. Blocks that only `before` has
// stay, as they were, behind the block they followed; a block without its end keeps all that follows as
// words. No character that a person wrote is ever lost.
std::string rewritten(const std::vector<MarkedBlock>& blocks, const std::string& before);

}  // namespace ridge::report
