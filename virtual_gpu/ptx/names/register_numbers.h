// Numbers for the registers of one function, so that later passes index arrays instead of looking
// names up.
#pragma once

#include <array>
#include <string_view>
#include <unordered_map>

#include "virtual_gpu/ptx/module.h"

namespace ridge::ptx {

// Names are unique spellings (ScopedNames) and must outlive this object.
class RegisterNumbers {
 public:
  // `.reg` of a name (count = 0) or of a range; returns the first number.
  RegisterNumber declare(std::string_view name, uint32_t count);
  // The number of a name that begins with '%'. An undeclared name gets a number of its own.
  RegisterNumber of(std::string_view name);
  uint32_t count() const { return next_; }

 private:
  struct Range {
    RegisterNumber first = 0;
    uint32_t count = 0;
  };
  struct Recent {
    std::string_view prefix;
    Range range;
  };
  Range range_of(std::string_view prefix);

  std::unordered_map<std::string_view, Range> ranges_;
  std::unordered_map<std::string_view, RegisterNumber> single_;
  std::array<Recent, 64> recent_;  // of ranges_, by length and last characters
  uint32_t next_ = 0;
};

}  // namespace ridge::ptx
