// What a call had to do, by the parent's own arithmetic: the ideal that counts are held against. A kernel
// can make neither larger, so accesses that do nothing dilute no ratio.
#pragma once

#include <filesystem>

#include "harness/problems/problem.h"

namespace ridge::measure {

struct Work {
  double operations = 0;    // Problem::operations
  double input_bytes = 0;   // every input once
  double output_bytes = 0;  // every output once
  double elements = 0;         // of the largest buffer
  double output_elements = 0;  // of all outputs
  // Inside the call, beside kernels: bytes that cudaMemcpy, cudaMemset and their relatives moved.
  double copied_bytes = 0;

  double bytes() const { return input_bytes + output_bytes; }
};

// `report`: the virtual GPU's, for what was copied in its last profiled range.
Work work_of(const problems::Problem& problem, const problems::Sizes& sizes,
             const std::filesystem::path& report);

}  // namespace ridge::measure
