// Which registers can have the same row. nvcc writes PTX that assigns each register once, so a kernel names
// hundreds of which a dozen are alive together; a row each would push the others' out of the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// What a register's row holds; none: not a register, or one that keeps a row of its own.
using RegisterType = std::function<RowType(const std::string& name)>;

// By register: a number, equal for registers of one type that are never alive at once. Registers that are not
// in the answer keep a row of their own.
//
// A thread's lane in a row is its own, so what counts is when a register is alive along one thread's way
// through the function; how the threads of a warp divide does not matter.
std::unordered_map<std::string, uint32_t> allocate_rows(const ptx::Function& function,
                                                     const RegisterType& type_of);

}  // namespace ridge::machine
