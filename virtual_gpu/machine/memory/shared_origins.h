// Which __shared__ array an address register points into, where the text of the function leaves no doubt.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// By register, the name of the array: every instruction that writes the register makes its value of that
// array's address by adding or subtracting numbers. A register that may hold an address in one of two arrays,
// or one that was computed in any other way, is not there.
std::unordered_map<std::string, std::string> shared_origins(
    const ptx::Function& function, const std::function<bool(const std::string&)>& is_shared_array);

}  // namespace ridge::machine
