// Runs a table of cases and says which failed, with the numbers.
#pragma once

#include <cstdio>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/lanes/lane_file.h"

namespace ridge::machine {

inline void check_cases(std::initializer_list<Case> cases) {
  for (const InstructionSet* set : supported_sets())
    for (const Case& one : cases) {
      const LaneOp* op = lane_table(*set).find(one.opcode);
      INFO(one.opcode << " on " << set->name);
      REQUIRE(op != nullptr);
      const uint64_t got = run(*op, one.in).dst;
      char text[160];
      std::snprintf(text, sizeof text, "%s(%#llx, %#llx, %#llx, %#llx): expected %#llx, got %#llx",
                    one.opcode, static_cast<unsigned long long>(one.in[0]),
                    static_cast<unsigned long long>(one.in[1]), static_cast<unsigned long long>(one.in[2]),
                    static_cast<unsigned long long>(one.in[3]), static_cast<unsigned long long>(one.expected),
                    static_cast<unsigned long long>(got));
      INFO(text);
      CHECK(got == one.expected);
    }
}

inline uint64_t bits(float value) {
  uint32_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}
inline uint64_t bits(double value) {
  uint64_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

inline constexpr uint64_t kNanF32 = 0x7fffffff, kInfinityF32 = 0x7f800000, kMinusZeroF32 = 0x80000000;
inline constexpr uint64_t kNanF64 = 0xfff8000000000000;

}  // namespace ridge::machine
