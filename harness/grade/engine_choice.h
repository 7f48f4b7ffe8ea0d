// Which CUDA runtime goes under the child.
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
  std::string why_not;  // the engine that was asked for is not there: what was found
};

// automatic: the GPU where the real runtime finds one, else the virtual GPU. Throws std::runtime_error when
// the virtual GPU's library is missing or was built for another processor.
EngineChoice choose_engine(Engine asked, const runner::Installation& installation);

}  // namespace ridge::grade
