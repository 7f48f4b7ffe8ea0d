// Determines the __shared__ array that an address register points into, if the text of the function
// makes it certain.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// By RegisterNumber, the name of the array: every instruction that writes the register computes it from
// that array's address by adding or subtracting numbers. Registers that may point into one of two
// arrays, or that are computed differently, have an empty name.
std::vector<std::string_view> shared_origins(
    const ptx::Function& function, const std::function<bool(std::string_view)>& is_shared_array);

}  // namespace ridge::machine
