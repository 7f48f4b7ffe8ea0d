// The names of record kinds on screen, in files and in lab.toml, and the parsing of block names.
#pragma once

#include <optional>
#include <string_view>

#include "trace/access_trace.h"

namespace ridge::trace {

std::string_view name_of(RecordKind kind);    // "load", "divergence", ...
std::string_view name_of(RecordSpace space);  // "global"; none: ""
std::string_view name_of(RecordUnit unit);    // "threads", "cp.async", "bulk copy", "tensor copy", "wgmma"
std::string_view name_of(PlaceKind kind);     // "barrier", "mbarrier", ...; none: ""

// "first", "middle", "last", "edge", a linear index such as "17", or blockIdx as "x,y" or "x,y,z".
// The edge is the last block of the first row: when the grid covers more than the data, its threads
// reach past the end. nullopt: none of these, or outside the grid.
std::optional<uint64_t> linear_block(std::string_view word, const std::array<uint32_t, 3>& grid);

}  // namespace ridge::trace
