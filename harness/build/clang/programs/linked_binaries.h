// Programs with device code in several files (-rdc=true): what nvcc's device linker generates for the host.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ridge::build::clang {

// The functions __cudaRegisterLinkedBinary_ID that clang's constructors in an object file, or an archive, call: each
// hands over the file's PTX and the function that registers its kernels. `bytes` is the file.
std::set<std::string> linked_binaries_in(std::string_view bytes);

// A C++ source that defines these functions: all PTX becomes one fat binary of several objects, which the virtual GPU
// links when it is first used.
std::string linked_binaries_source(const std::set<std::string>& functions);

}  // namespace ridge::build::clang
