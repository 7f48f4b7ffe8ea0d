// The notes for a trace of a rung: the rung, the names and shapes of its arrays, its scene.
#pragma once

#include "harness/grade/grade.h"
#include "harness/problems/problem.h"
#include "trace/access_trace.h"
#include "trace/trace_notes.h"

namespace ridge::grade {

// `addresses`: the addresses of the problem's buffers at the rung's virtual_size, in order; with
// any other number of addresses no array is named.
trace::TraceNotes trace_notes(const course::Rung& rung, const problems::Problem& problem,
                              const Result& result, bool is_solution, const std::vector<uint64_t>& addresses);

// The sources that a trace of the compiled `text` of `file` may contain: the file and the headers
// in its folder and in `folders`. They are read here because the sandboxed child cannot, and by
// name because a trace may name any file.
std::vector<trace::TraceSource> trace_sources(const std::filesystem::path& file, const std::string& text,
                                              const std::vector<std::filesystem::path>& folders);

}  // namespace ridge::grade
