// Gives a complete file its final name, in place of an older one.
#pragma once

#include <filesystem>

namespace ridge::text {

// A reader sees the old file or the new one, never a part of one. `partial` and `file` are in one
// folder. Throws std::filesystem::filesystem_error.
void replace_file(const std::filesystem::path& partial, const std::filesystem::path& file);

}  // namespace ridge::text
