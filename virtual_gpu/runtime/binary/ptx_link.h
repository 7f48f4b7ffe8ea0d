// Links the PTX modules of a program built with -rdc=true into one, like nvlink for cubins.
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace ridge::runtime {

// Definitions override extern declarations; module-local names are made unique. Of several
// definitions the first is kept (templates and inline functions are in every object file). Throws
// LoadError (cudaErrorInvalidSource) when a variable is used but not defined. Line numbers in the
// linked `ptx_lines` count through the modules one after the other.
ptx::Module link(std::vector<ptx::Module> modules);

}  // namespace ridge::runtime
