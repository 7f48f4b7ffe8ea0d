// Numbers as a person reads them.
#pragma once

#include <cstdint>
#include <string>

namespace ridge::text {

std::string with_thousands(uint64_t number);  // "1,048,576"

}  // namespace ridge::text
