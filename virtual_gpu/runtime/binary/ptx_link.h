// Links the PTX modules of a program built with -rdc=true into one, as nvlink does with cubins.
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace ridge::runtime {

// Definitions win over extern declarations; names that only one module may see are made unique. Of several
// definitions the first stays (templates and inline functions are in every object file). Throws LoadError
// (cudaErrorInvalidSource) when nobody defines a variable that is used. Line numbers in the linked
// `ptx_lines` are those of the modules one after the other.
ptx::Module link(std::vector<ptx::Module> modules);

}  // namespace ridge::runtime
