// SHA-256 (FIPS 180-4): the cache's key, and the name of a graded version in the store.
#pragma once

#include <string>
#include <string_view>

namespace ridge::build {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace ridge::build
