// Turns nvcc's output into messages for the student.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/build/compile.h"

namespace ridge::build {

// Registers, shared memory and spills of every kernel, parsed from the lines of `ptxas -v`.
std::vector<KernelResources> resources_in(const std::string& output);

// The warnings and errors only: "labs/01-kernel-basics/1-vector-add.cu:12: error: …", each with its
// source line and caret. ptxas's statistics, scratch file names and the compiler's own spelling of
// __global__ are removed. `shown` is the student's name of the file that nvcc knows as `compiled`.
std::string messages_in(const std::string& output, const std::filesystem::path& compiled,
                        const std::string& shown);

// True when the disk (or a quota) is full.
bool disk_full_in(const std::string& output);

}  // namespace ridge::build
