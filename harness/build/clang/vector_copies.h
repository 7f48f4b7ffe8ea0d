// Copies of 8 and 16 bytes in LLVM IR: loads and stores of vectors, as nvcc makes them of an assignment of a float4.
#pragma once

#include <string>
#include <vector>

namespace ridge::build {

// `lines` are the lines of an LLVM IR text that is not optimised yet. A memcpy of 8 or 16 bytes of a type with
// this alignment becomes one vector load and one vector store. LLVM would make loads of single components, and move
// them apart.
void copy_by_vectors(std::vector<std::string>& lines);

// The arguments of the call or definition that begins at the first '(' behind `from`, split at its commas.
std::vector<std::string> arguments_of(const std::string& line, size_t from);

}  // namespace ridge::build
