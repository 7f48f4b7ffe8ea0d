#pragma once

#include <filesystem>
#include <string>

namespace ridge::cli {

// The file holds the text, or, on a full disk, what it held before. Throws MachineError.
void replace_file(const std::filesystem::path& file, const std::string& text);

}  // namespace ridge::cli
