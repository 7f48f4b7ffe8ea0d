// Parses the initial value of a variable, after its '='.
#pragma once

#include <cstdint>
#include <span>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

// Reads `{1, 2, {3, 4}}`, a single value, a string, addresses (`table+16`, `generic(table)`) or
// single bytes of addresses (`0xFF00(table)`) into variable.initial and variable.relocations.
// `extents` are the array's, outermost first, 0 for an omitted one, for which
// variable.element_count becomes the number of initialised elements.
void parse_initializer(TokenCursor& cursor, std::span<const uint64_t> extents, Variable& variable);

}  // namespace ridge::ptx
