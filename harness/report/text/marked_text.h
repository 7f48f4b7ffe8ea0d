// A text that alternates between blocks of a program and words of a person; rewriting the blocks
// keeps the words.
#pragma once

#include <string>
#include <vector>

namespace ridge::report {

struct MarkedBlock {
  std::string key;    // "run 12"
  std::string text;   // written by the program; ends with a line feed
  std::string words;  // written by the person below it; for a new block its initial content
};

// The blocks as lines between "<!-- ridge: KEY -->" and "<!-- ridge: end -->", each followed by its
// words. If `before` has a block with the same key, the words are taken from there. Blocks that
// only `before` has are kept unchanged after the block that they followed; a block without an end
// mark keeps all that follows as words. No character that a person wrote is ever lost.
std::string rewritten(const std::vector<MarkedBlock>& blocks, const std::string& before);

}  // namespace ridge::report
