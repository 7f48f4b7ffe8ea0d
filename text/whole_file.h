// Reads a whole file into memory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ridge::text {

// The content of a file. Also works for files whose size is unknown in advance, such as those under
// /proc. Throws std::runtime_error ("cannot read FILE: No such file or directory").
std::string read_file(const std::filesystem::path& file);

// The same; no value when the file is missing or cannot be read.
std::optional<std::string> read_file_if_readable(const std::filesystem::path& file);

}  // namespace ridge::text
