// Parses variables, parameters and registers: all declarations with a name and a type.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

// .extern .visible .weak .common, before a variable or a function.
struct Linkage {
  bool is_extern = false, is_visible = false, is_weak = false;
};
Linkage parse_linkage(TokenCursor& cursor);

// Maps a `name` in the text to its spelling in the tree.
using Rename = std::function<std::string(std::string_view)>;

// `.shared .align 16 .b8 tile[4][32], other = {...};` from its first directive to its ';',
// inclusive. One entry per name.
std::vector<Variable> parse_variables(TokenCursor& cursor, const Linkage& linkage,
                                      const Rename& rename);

// `( .param .u64 .ptr .global .align 4 a, .param .b32 b )`; an empty list when the next token is
// not '('.
std::vector<Variable> parse_parameters(TokenCursor& cursor);

// `.reg .b32 %r<10>, %x;` from after the word .reg to its ';', inclusive. `declare` returns the
// unique spelling or throws.
using DeclareRegister = std::function<std::string_view(std::string_view name, uint32_t count)>;
void parse_registers(TokenCursor& cursor, const DeclareRegister& declare,
                     std::vector<RegisterDeclaration>& into);

// True at a directive that starts a variable: .shared, .align, .extern ...
bool at_variable(const TokenCursor& cursor);

// Skips `( ... )` with its content; no effect when the next token is not '('.
void skip_parentheses(TokenCursor& cursor);

}  // namespace ridge::ptx
