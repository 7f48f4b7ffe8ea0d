// Decides which registers can share a row. nvcc's PTX assigns each register once, so a kernel names
// hundreds, of which a dozen are live at the same time; with a row each they would evict each other
// from the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// The content type of a register's row; none: not a register, or one that must have its own row.
using RegisterType = std::function<RowType(const ptx::Operand& reg)>;
inline constexpr uint32_t kOwnRow = 0xffffffffu;

struct RowAllocation {
  // By RegisterNumber: a number, equal for registers of one type that are never live at the same
  // time. kOwnRow, also for registers beyond the end: the register has its own row.
  std::vector<uint32_t> numbers;
  // Registers that some path from the function's beginning reads before it writes them.
  std::vector<ptx::RegisterNumber> unset;
};

// Each thread has its own lane in a row, so only the live ranges along one thread's path through
// the function matter; divergence within a warp does not. The result is empty for a function whose
// instructions read and write registers while the warp continues.
RowAllocation allocate_rows(const ptx::Function& function, const RegisterType& type_of);

}  // namespace ridge::machine
