// Copies between register classes that LLVM 19 writes into PTX and no machine executes.
#pragma once

#include <string>

namespace ridge::build {

// Removes "mov.b32 %f9, %r65;" and "mov.b64 %fd2, %rd7;" from PTX of clang and has their readers read the register of
// bits: an operand of .f32 may be a register of .b32. ptxas gives both the same register, and LLVM 20 and newer declare
// one class for both; nvcc loads into the class that is read. A copy stays where its source is not written once in the
// same basic block before it, or where inline assembly names either register.
std::string without_register_copies(const std::string& ptx);

}  // namespace ridge::build
