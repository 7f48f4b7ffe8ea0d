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

// Programs that include CUB have hundreds of kernels and launch a few of them. parse_headers()
// reads everything but the bodies of functions, so it finds errors in them only when they are read.
// parse_bodies() reads those of a kernel and of every function that it can reach: of all functions
// when it calls through a pointer. Throws ParseError, also when called again after it has thrown.
Module parse_headers(std::string text);
void parse_bodies(Module& module, std::string_view kernel);

}  // namespace ridge::ptx
