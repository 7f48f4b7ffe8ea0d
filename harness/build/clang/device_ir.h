// The LLVM IR that clang writes for the device, changed where clang 19 has no attribute for what CUDA C++ says.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/build/clang/header_lines.h"

namespace ridge::build {

// Part of the key of what is kept in the cache: raise it with every change of what is done to IR and PTX.
inline constexpr int kDeviceIrVersion = 5;

struct DeviceIr {
  std::string text;
  // By the kernel's mangled name: PTX directives for its head, such as ".reqnctapercluster 8, 1, 1".
  std::map<std::string, std::vector<std::string>> directives;
  std::set<std::string> managed;  // mangled names of __managed__ variables
};

// Reads the annotations that virtual_gpu/headers/ridge_cuda/qualifiers.h makes of __cluster_dims__,
// __maxnreg__ and __grid_constant__, and the section that it makes of __managed__. A parameter with
// __grid_constant__ is used where it is: LLVM 19 would copy it to local memory, which the copy engine
// cannot read. Copies of 16 bytes become vector accesses (vector_copies.h). Code of headers has the
// line of its caller (header_lines.h). No load moves before the condition that it depends on. A
// static variable has one name (ir_names.h). The IR is not optimised yet.
DeviceIr rewritten(const std::string& ir, const Headers& headers);

// Adds the directives to the heads of the kernels of a PTX text. What LLVM merged of several lines has line 0; it gets
// the line of the instruction before it. Labels to which no branch goes, only line information, are left out: the virtual
// GPU counts instructions by basic blocks, which would end there.
std::string with_directives(const std::string& ptx,
                            const std::map<std::string, std::vector<std::string>>& directives);

// PTX of the rewritten IR as the fat binary has it: with_directives, with_managed_attributes (managed_variables.h) and
// without_register_copies (register_copies.h).
std::string finished_ptx(const std::string& ptx, const DeviceIr& device);

}  // namespace ridge::build
