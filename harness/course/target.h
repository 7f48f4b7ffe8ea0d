// What a rung asks for on a GPU, in percent of its baseline: a general target, and targets of GPUs on
// which the reference was measured and the general one does not fit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::course {

class TableReader;

struct Target {
  double pass = 0, gold = 0;
  std::string device = {};  // where it was measured, cudaDeviceProp::name: "NVIDIA H200"
};

struct Targets : Target {               // the general target
  std::vector<Target> of_devices = {};  // at most one of each device

  // The target for a GPU by its cudaDeviceProp::name: its own one if there is one.
  const Target& on(std::string_view gpu) const;
};

// Reads `{ pass = 75, gold = 78.4, nvidia-h100 = { pass = 68.8, gold = 68.8 } }`. A device's key is the
// name of its folder in course/measured: "nvidia-" and the name in warp_model/devices, in lower case.
// `measured_on = "nvidia-h100"` names the device of the general target if it is not the H200. Throws
// CourseError.
Targets read_targets(TableReader reader);

}  // namespace ridge::course
