// What a call had to do, by the parent's own arithmetic: the ideal that counts are held against. A kernel
// can make neither larger, so accesses that do nothing dilute no ratio.
#pragma once

#include <filesystem>

#include "harness/problems/inputs.h"

namespace ridge::measure {

struct Work {
  double operations = 0;    // Problem::operations
  double input_bytes = 0;   // every input once, or what the data say must be read of them
  double output_bytes = 0;  // every output once, or what the data say must be written
  double elements = 0;         // of the largest buffer, or what the data say is worked on
  double output_elements = 0;  // of all outputs
  // Inside the call, beside kernels: bytes that cudaMemcpy, cudaMemset and their relatives moved.
  double copied_bytes = 0;
  double steps = 1;          // Problem::steps
  double step_elements = 0;  // elements that all steps together produce
  // Calls of the runtime that the host made for it (trace::RangeSummary).
  double api_calls = 0, launch_calls = 0, synchronizations = 0, allocations = 0;
  double graph_launches = 0, graph_instantiations = 0;

  double bytes() const { return input_bytes + output_bytes; }
};

// `report`: the virtual GPU's, for what was copied and called in its last profiled range.
Work work_of(const problems::Case& given, const std::filesystem::path& report);

}  // namespace ridge::measure
