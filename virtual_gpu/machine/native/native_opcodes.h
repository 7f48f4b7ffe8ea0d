// For tests: the operations that the generator emits itself. For all others it calls the first
// tier.
#pragma once

#include <string>
#include <vector>

namespace ridge::machine {

// Empty without a generator.
std::vector<std::string> native_opcodes();

}  // namespace ridge::machine
