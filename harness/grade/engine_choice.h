// Chooses the CUDA runtime for the child.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/grade/grade.h"
#include "harness/runner/installation.h"

namespace ridge::grade {

struct EngineChoice {
  Engine engine = Engine::virtual_gpu;
  std::filesystem::path libraries;
  std::optional<runner::Gpu> gpu;
  std::string architecture = "90a";
  std::string why_not;  // why the requested engine is not available
  int devices = 1;      // of a rung on several devices: the most that a call may use
  // The text when such a rung asks for more GPUs than were found, and what follows; "" otherwise.
  std::string too_few = {};
};

// automatic: the GPU if the real runtime finds one, otherwise the virtual GPU. With several devices
// (course::Rung::devices) there must be as many GPUs as the smallest of these numbers: one GPU with
// virtual peers is not a measurement. Throws std::runtime_error when the virtual GPU's library is missing
// or was built for another processor.
EngineChoice choose_engine(Engine asked, const runner::Installation& installation,
                           const std::vector<int>& devices = {});

// The largest of the ascending numbers `devices` that is at most `gpus`; 0: all are more.
int devices_on(size_t gpus, const std::vector<int>& devices);

}  // namespace ridge::grade
