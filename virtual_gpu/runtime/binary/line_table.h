// Reads .nv_debug_line_sass, which nvcc writes with -lineinfo: for each address of a function's SASS, the
// line of the PTX text it was made from. It is a DWARF 2 line program for each function; relocations say
// which function.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ridge::runtime {

struct LineRow {
  uint32_t address = 0, line = 0;  // from this address on
};

// By the offset in the section at which a function's address was to be stored: `function_at` gives what the
// relocations say, usually the index of a symbol. The rows of each function ascend by address. Damaged input
// gives the rows before the damage.
std::unordered_map<uint32_t, std::vector<LineRow>> read_line_table(
    std::string_view section, const std::map<uint64_t, uint32_t>& function_at);

}  // namespace ridge::runtime
