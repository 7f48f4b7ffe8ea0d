// Shared objects that the tests' children load.
#pragma once

#include <filesystem>

namespace ridge::tests {

inline const std::filesystem::path kModules = std::filesystem::path(RIDGE_BINARY_DIR) / "lib" / "tests";

}  // namespace ridge::tests
