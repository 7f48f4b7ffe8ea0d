// Texts for what a record touches: "in[3][17]", "thread (17, 3)", "0.4375".
#pragma once

#include <string>

#include "trace/access_trace.h"
#include "trace/block_timeline.h"

namespace ridge::view {

// "in[3][17]" when the array's shape is known, "in[113]" when its element size is, otherwise "in +
// 452 bytes"; an address when no array is listed. `name`: false gives only the indices.
std::string element_name(const trace::AccessTrace& trace, trace::RecordSpace space, uint64_t address);
// The same for a record: shared memory that was declared as bytes or as a struct and is read in
// words is named by words: "raw word 113".
std::string element_name(const trace::AccessTrace& trace, const trace::TraceRecord& record, uint64_t address);
// "(anonymous namespace)::transpose_tiled(float const*)" gives "transpose_tiled".
std::string kernel_name(const std::string& demangled);
std::string array_name(const trace::TraceArray& array);
// "(17, 3)": threadIdx, with as many dimensions as the block has.
std::string thread_name(const trace::TraceLaunch& launch, uint32_t warp, uint32_t lane);
std::string block_name(const trace::TraceLaunch& launch, uint64_t block);
// The value that a lane moved, by the array's type; empty: not recorded. For vectors all elements.
std::string value_text(const trace::AccessTrace& trace, const trace::TraceRecord& record, uint32_t lane);
// ", of block (1, 0)": the block that owns the shared memory of a record, or that started the copy;
// empty: the same block.
std::string other_block_text(const trace::TraceLaunch& launch, const trace::TraceRecord& record);
// "load of 4 B per lane from global memory", "waits at a barrier of the block".
std::string what_it_does(const trace::TraceRecord& record);
// ", 4 of 32 lanes"; empty when all lanes participate, or no lane does.
std::string some_lanes_text(const trace::TraceRecord& record);
// "32 sectors, 4 would do"; "4 sectors, all needed"; empty when the record is not an access.
std::string cost_text(trace::RecordSpace space, uint64_t actual, uint64_t ideal);
std::string with_unit(uint64_t bytes);  // "4 KB"
std::string percent_text(double part);  // "26%"; "<1%" for positive values that round to 0

}  // namespace ridge::view
