// printf for kernels: formats the packed arguments that the compiler generates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ridge::machine {

// read(offset, out, bytes) copies bytes of the argument buffer; string(address) returns the text of
// a %s.
struct PrintArguments {
  std::function<bool(uint64_t offset, void* out, size_t bytes)> read;
  std::function<std::string(uint64_t address)> string;
};

// Returns the text; `arguments_used` is the return value of printf on a GPU.
std::string format_print(std::string_view format, const PrintArguments& arguments, int& arguments_used);

}  // namespace ridge::machine
