// __managed__ variables, which clang 19 has no attribute for: virtual_gpu/headers/ridge_cuda/qualifiers.h makes them
// __device__ variables with an annotation.
#pragma once

#include <set>
#include <string>

namespace ridge::build {

// Adds ".attribute(.managed)" to the variables of these mangled names in a PTX text.
std::string with_managed_attributes(const std::string& ptx, const std::set<std::string>& names);

// The host's LLVM IR, not optimised yet, with each variable reached through a pointer that the runtime sets, as in
// code of nvcc: __cudaRegisterManagedVar gets the pointer's address, and __cudaInitModule sets it before the first use.
// Throws std::runtime_error where the address is needed before the program runs (an initial value of another variable).
std::string with_managed_pointers(const std::string& host_ir, const std::set<std::string>& names);

}  // namespace ridge::build
