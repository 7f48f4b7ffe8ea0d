// `ridge trace`: what the child gets to know about the trace that it writes, and what becomes of the
// trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/grade/grade.h"

namespace ridge::grade {

// The environment of the child (trace/environment.h); the trace goes into `scratch`. Variables
// without a value are removed: a grading that traces nothing writes no trace.
std::vector<std::pair<std::string, std::string>> trace_environment(
    const Request& request, const std::filesystem::path& scratch);

// Copies what the child wrote in `scratch` to Request::trace_file, with notes on the rung and the
// result. `addresses`: of the problem's buffers in the child. Does nothing where no trace was
// written.
void keep_trace(const Request& request, const std::filesystem::path& scratch, const Result& result,
                const std::vector<uint64_t>& addresses);

}  // namespace ridge::grade
