// Which flags `ridge nvcc` adds to those it was given.
#pragma once

#include <string>
#include <vector>

namespace ridge::cli {

// -arch, -gencode or -code in any of their spellings.
bool chooses_architecture(const std::vector<std::string>& given);

// The flags of the design that `given` does not decide itself, then `given`. -lineinfo is left out beside -G,
// which nvcc refuses together.
std::vector<std::string> nvcc_arguments(const std::vector<std::string>& given,
                                        const std::string& architecture);

}  // namespace ridge::cli
