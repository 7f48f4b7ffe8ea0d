// The declarations of preprocessed C++ text, and the names by which each can be found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/build/preprocessed/tokens.h"

namespace ridge::build {

struct Declaration {
  uint32_t first, end;          // tokens, with a pragma in front that is about this declaration
  std::vector<uint32_t> names;  // numbers: who uses none of these cannot mean this declaration
  bool always = false;          // it may be used without being named
};

// The declarations of namespaces and of `extern "C"` blocks, in order; what opens and closes these is
// part of none. No value for text whose parts cannot be told apart.
std::optional<std::vector<Declaration>> declarations_of(const Tokens& tokens);

}  // namespace ridge::build
