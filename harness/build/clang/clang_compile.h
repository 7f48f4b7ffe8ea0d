// One .cu to one shared object, by clang: the device's part to PTX, the host's part with the PTX in it.
#pragma once

#include <string>
#include <vector>

#include "harness/build/clang/installation.h"
#include "harness/build/compile.h"
#include "harness/build/one_file.h"

namespace ridge::build::clang {

// Throws Interrupted, and std::runtime_error when the end of clang says nothing about the source.
Compiled compile_by_clang(const OneFile& file, const Clang& clang, const std::string& architecture);

// clang's warnings and errors for a person: without its counts, our own headers' inclusions, and with the learner's
// name of the file.
std::string clang_messages(const std::string& output, const std::string& compiled,
                           const std::string& shown);

}  // namespace ridge::build::clang
