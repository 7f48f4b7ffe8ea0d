// A fat binary with one PTX text, as the CUDA runtime loads it.
#pragma once

#include <string>

namespace ridge::build {

// The bytes of a container with `ptx` for architecture "90a", "80", ... The format is described in
// virtual_gpu/runtime/binary/fatbin.h.
std::string fat_binary(const std::string& ptx, const std::string& architecture);

}  // namespace ridge::build
