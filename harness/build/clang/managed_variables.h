// __managed__ variables, which clang 19 has no attribute for: virtual_gpu/headers/ridge_cuda/qualifiers.h makes them
// __device__ variables of a section. Unlike an annotation, declarations have it too.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace ridge::build {

// The names, as LLVM IR has them, of the managed variables that the lines of a module define or declare.
std::set<std::string> managed_variables_in(const std::vector<std::string>& lines);

// Adds ".attribute(.managed)" to the variables of these mangled names in a PTX text.
std::string with_managed_attributes(const std::string& ptx, const std::set<std::string>& names);

// The host's LLVM IR, not optimised yet, with each managed variable reached through a pointer that the runtime sets, as
// in code of nvcc: __cudaRegisterManagedVar gets the pointer's address, and __cudaInitModule sets it before the first use.
// `is_relocatable`: device code of several files is linked (-rdc=true), and a file may use what another one defines.
// Throws std::runtime_error where the address is needed before the program runs (an initial value of another variable).
std::string with_managed_pointers(const std::string& host_ir, bool is_relocatable);

}  // namespace ridge::build
