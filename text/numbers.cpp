#include "text/numbers.h"

namespace ridge::text {

std::string with_thousands(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace ridge::text
