// The parser of PTX text.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace ridge::ptx {

// An error in a PTX text with its line: "PTX line 12: expected ';' after operands, found '}'".
struct ParseError : std::runtime_error {
  ParseError(uint32_t ptx_line, const std::string& message);
  uint32_t line;
};

// Parses a whole module. Damaged text throws ParseError; it never causes a crash or an endless
// loop.
Module parse(std::string_view text);

}  // namespace ridge::ptx
