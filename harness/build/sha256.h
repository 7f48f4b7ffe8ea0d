// SHA-256 (FIPS 180-4): for the keys of the cache and the identifiers of graded versions in the
// store.
#pragma once

#include <string>
#include <string_view>

namespace ridge::build {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace ridge::build
