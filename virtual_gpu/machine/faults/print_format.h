// printf for kernels: the format and the packed arguments as the compiler leaves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ridge::machine {

// read(offset, out, bytes) gives bytes of the argument buffer; string(address) the text of a %s.
struct PrintArguments {
  std::function<bool(uint64_t offset, void* out, size_t bytes)> read;
  std::function<std::string(uint64_t address)> string;
};

// The text; `arguments_used` is what printf returns on a GPU.
std::string format_print(std::string_view format, const PrintArguments& arguments, int& arguments_used);

}  // namespace ridge::machine
