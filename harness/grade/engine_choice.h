// Chooses the CUDA runtime for the child.
#pragma once

#include <optional>
#include <string>

#include "harness/grade/grade.h"
#include "harness/runner/installation.h"

namespace ridge::grade {

struct EngineChoice {
  Engine engine = Engine::virtual_gpu;
  std::filesystem::path libraries;
  std::optional<runner::Gpu> gpu;
  std::string architecture = "90a";
  std::string why_not;  // why the requested engine is not available
};

// automatic: the GPU if the real runtime finds one, otherwise the virtual GPU. Throws
// std::runtime_error when the virtual GPU's library is missing or was built for another processor.
EngineChoice choose_engine(Engine asked, const runner::Installation& installation);

}  // namespace ridge::grade
