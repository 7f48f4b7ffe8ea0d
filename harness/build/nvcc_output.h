// What nvcc prints, turned into what a learner reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/build/compile.h"

namespace ridge::build {

// Registers, shared memory and spills of every kernel, from the lines of `ptxas -v`.
std::vector<KernelResources> resources_in(const std::string& output);

// The warnings and errors alone: "labs/01-kernel-basics/1-vector-add.cu:12: error: …", with the source line
// and its caret below; ptxas's statistics, scratch file names and the compiler's own spelling of __global__
// are taken out. `shown` is the learner's name of the file that nvcc knows as `compiled`.
std::string messages_in(const std::string& output, const std::filesystem::path& compiled,
                        const std::string& shown);

// Did the disk (or a quota) fill up?
bool disk_full_in(const std::string& output);

}  // namespace ridge::build
