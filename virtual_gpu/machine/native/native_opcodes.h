// For tests: what the generator emits itself. Everything else it calls the first tier for.
#pragma once

#include <string>
#include <vector>

namespace ridge::machine {

// Empty where there is no generator.
std::vector<std::string> native_opcodes();

}  // namespace ridge::machine
