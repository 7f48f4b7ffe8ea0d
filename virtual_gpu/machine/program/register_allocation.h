// Decides which registers can share a row. nvcc's PTX assigns each register once, so a kernel names
// hundreds, of which a dozen are live at the same time; with a row each they would evict each other
// from the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// The content type of a register's row; none: not a register, or one that must have its own row.
using RegisterType = std::function<RowType(const std::string& name)>;

// By register: a number, equal for registers of one type that are never live at the same time.
// Registers that are not in the result keep their own rows.
//
// Each thread has its own lane in a row, so only the live ranges along one thread's path through
// the function matter; divergence within a warp does not.
std::unordered_map<std::string, uint32_t> allocate_rows(const ptx::Function& function,
                                                     const RegisterType& type_of);

}  // namespace ridge::machine
