// Reads .nv_debug_line_sass, which nvcc writes with -lineinfo: for each address of a function's
// SASS, the PTX line that it was compiled from. The section has one DWARF 2 line program per
// function; relocations identify the function.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ridge::runtime {

struct LineRow {
  uint32_t address = 0, line = 0;  // valid from this address on
};

// Line rows by function. `function_at` maps the offset in the section at which a function's address
// is stored to its relocation, usually the index of a symbol. The rows of each function ascend by
// address. Damaged input gives the rows before the damage.
std::unordered_map<uint32_t, std::vector<LineRow>> read_line_table(
    std::string_view section, const std::map<uint64_t, uint32_t>& function_at);

}  // namespace ridge::runtime
