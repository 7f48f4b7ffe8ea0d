// Multiplications that the assembler contracts with additions. PTX permits it where neither has a
// rounding modifier, and nvcc relies on it: NVVM itself contracts only products with one use.
#pragma once

#include <memory>

#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// A copy of the function with fma instead of add and sub, as ptxas decides; null when nothing
// changes. Products stay where they are, also those that nobody reads any more: what is executed is
// counted as PTX. The copy refers to names and operands of `function`, which must outlive it.
struct ContractedFunction {
  ptx::Function function;
  ptx::TreePool pool;
};
std::unique_ptr<ContractedFunction> contract(const ptx::Function& function);

}  // namespace ridge::machine
