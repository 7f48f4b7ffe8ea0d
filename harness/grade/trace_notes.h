// What a trace of a rung is to say of itself: the rung, the names and shapes of its arrays, its scene.
#pragma once

#include "harness/grade/grade.h"
#include "harness/problems/problem.h"
#include "trace/trace_notes.h"

namespace ridge::grade {

// `addresses`: of the problem's buffers at the rung's virtual_size, in their order; another number of them
// names none.
trace::TraceNotes trace_notes(const course::Rung& rung, const problems::Problem& problem,
                              const Result& result, bool is_solution, const std::vector<uint64_t>& addresses);

}  // namespace ridge::grade
