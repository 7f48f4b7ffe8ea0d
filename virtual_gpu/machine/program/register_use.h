// How the instructions of an opcode use their registers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ridge::machine {

enum class RegisterUse : uint8_t {
  writes_first,  // writes the whole first operand without reading it, and reads the others
  reads_all,     // may read every operand; always a safe choice
  asynchronous,  // reads and writes registers while the warp continues
};

// By the opcode up to its first dot; no value for an opcode that is not in the opcode table.
std::optional<RegisterUse> register_use(std::string_view base);

}  // namespace ridge::machine
