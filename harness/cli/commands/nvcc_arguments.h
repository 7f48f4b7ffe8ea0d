// Which flags `ridge nvcc` adds to the given ones.
#pragma once

#include <string>
#include <vector>

namespace ridge::cli {

// True for -arch, -gencode or -code in any spelling.
bool chooses_architecture(const std::vector<std::string>& given);

// Our flags that `given` does not decide itself, then `given`. -lineinfo is omitted with -G, since
// nvcc rejects the combination.
std::vector<std::string> nvcc_arguments(const std::vector<std::string>& given,
                                        const std::string& architecture);

}  // namespace ridge::cli
