// Recognises headers of the CUDA toolkit, and ours for clang in their place: messages name the line
// that called them, and accesses in them that look like mistakes (uninitialised values,
// observe/races/shared/shared_words.cpp) are not reported.
#pragma once

#include <string_view>

namespace ridge::machine {

// By the path that nvcc and the host compiler write into line tables.
bool is_toolkit_header(std::string_view path);

}  // namespace ridge::machine
