// What a trace of a rung is to say of itself: the rung, the names and shapes of its arrays, its scene.
#pragma once

#include "harness/grade/grade.h"
#include "harness/problems/problem.h"
#include "trace/access_trace.h"
#include "trace/trace_notes.h"

namespace ridge::grade {

// `addresses`: of the problem's buffers at the rung's virtual_size, in their order; another number of them
// names none.
trace::TraceNotes trace_notes(const course::Rung& rung, const problems::Problem& problem,
                              const Result& result, bool is_solution, const std::vector<uint64_t>& addresses);

// What a trace of the compiled `text` of `file` may show: it, and the headers beside it and in `folders`.
// Read here, for the fenced child cannot, and by name, for a trace may name any file.
std::vector<trace::TraceSource> trace_sources(const std::filesystem::path& file, const std::string& text,
                                              const std::vector<std::filesystem::path>& folders);

}  // namespace ridge::grade
