// Which files are the CUDA toolkit's own headers: a message names the line that called them, and what they do
// at will (watched.cpp, observe/shared_words.cpp) is no mistake of the program's.
#pragma once

#include <string_view>

namespace ridge::machine {

// By the path as nvcc and the host compiler write it into line tables.
bool is_toolkit_header(std::string_view path);

}  // namespace ridge::machine
