// The flags of clang, for each of its three runs on a CUDA file.
#pragma once

#include <string>
#include <vector>

#include "harness/build/clang/installation.h"

namespace ridge::build::clang {

// Both parts of a file: language, headers, architecture "90a".
std::vector<std::string> language_flags(const Clang& clang, const std::string& architecture);
// The device's part, to LLVM IR with line information, not optimised yet.
std::vector<std::string> device_flags();
// LLVM IR to PTX, optimised.
std::vector<std::string> ptx_flags(const std::string& architecture);
// What a lab is compiled with beyond that: standard, optimisation, and for the host's part a shared object.
std::vector<std::string> lab_language_flags();
std::vector<std::string> lab_host_flags();

// What makes the loaded object: of lab_host_flags, without what concerns CUDA C++.
std::vector<std::string> lab_object_flags();

// The host part as LLVM IR that is not optimised yet.
std::vector<std::string> host_ir_flags();

// All of them as a list to keep with a grade.
std::vector<std::string> recorded_flags(const std::string& architecture);

}  // namespace ridge::build::clang
