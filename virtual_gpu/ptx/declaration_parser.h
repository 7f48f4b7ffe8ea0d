// Variables, parameters and registers: everything that declares a name and a type.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

// .extern .visible .weak .common, in front of a variable or a function.
struct Linkage {
  bool is_extern = false, is_visible = false, is_weak = false;
};
Linkage parse_linkage(TokenCursor& cursor);

// `name` as the text has it -> the spelling that goes into the tree.
using Rename = std::function<std::string(std::string_view)>;

// `.shared .align 16 .b8 tile[4][32], other = {...};` from its first directive to behind the ';'. One entry a
// name.
std::vector<Variable> parse_variables(TokenCursor& cursor, const Linkage& linkage, const Rename& rename);

// `( .param .u64 .ptr .global .align 4 a, .param .b32 b )`; an empty list when the next token is no '('.
std::vector<Variable> parse_parameters(TokenCursor& cursor);

// `.reg .b32 %r<10>, %x;` from behind the word .reg to behind the ';'. `declare` gives the unique spelling or
// throws.
using DeclareRegister = std::function<std::string(std::string_view name, uint32_t count)>;
void parse_registers(TokenCursor& cursor, const DeclareRegister& declare,
                     std::vector<RegisterDeclaration>& into);

// True at a directive that starts a variable: .shared, .align, .extern ...
bool at_variable(const TokenCursor& cursor);

// Skips `( ... )` with whatever stands inside; nothing when the next token is no '('.
void skip_parentheses(TokenCursor& cursor);

}  // namespace ridge::ptx
