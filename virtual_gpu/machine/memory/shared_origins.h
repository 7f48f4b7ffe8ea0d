// Determines the __shared__ array that an address register points into, if the text of the function
// makes it certain.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// By register, the name of the array: every instruction that writes the register computes it from
// that array's address by adding or subtracting numbers. Registers that may point into one of two
// arrays, or that are computed differently, are not included.
std::unordered_map<std::string, std::string> shared_origins(
    const ptx::Function& function, const std::function<bool(const std::string&)>& is_shared_array);

}  // namespace ridge::machine
