// The work of a call, computed by the parent: the ideal for relative counts. A kernel cannot
// increase it, so useless accesses do not improve a ratio.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/problems/inputs.h"
#include "trace/launch_report.h"

namespace ridge::measure {

struct Work {
  double operations = 0;    // Problem::operations
  double input_bytes = 0;   // every input once, or what the data require to be read
  double output_bytes = 0;  // every output once, or what the data require to be written
  double elements = 0;         // of the largest array, or what the data require to be processed
  double output_elements = 0;  // of all outputs
  // Bytes that cudaMemcpy, cudaMemset and their variants moved inside the call.
  double copied_bytes = 0;
  double steps = 1;          // Problem::steps
  double step_elements = 0;  // elements that all steps produce together
  // Calls of the runtime by the host during this work (trace::RangeSummary).
  double api_calls = 0, launch_calls = 0, synchronizations = 0, allocations = 0;
  double graph_launches = 0, graph_instantiations = 0;
  // For a problem on several devices: their number, the bytes that each must send to others, and
  // what copies of the runtime moved between them.
  double ranks = 0, link_bytes = 0;
  std::vector<trace::LinkCounts> copied_links = {};

  double bytes() const { return input_bytes + output_bytes; }
};

// `report`: the virtual GPU's report, whose last profiled range gives the copies and calls.
Work work_of(const problems::Case& given, const std::filesystem::path& report);

}  // namespace ridge::measure
