// Replaces a file as a whole, so that a failure leaves the old text.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::cli {

// The file holds the text, or, on a full disk, what it held before. Throws MachineError.
void replace_file(const std::filesystem::path& file, const std::string& text);

// A copy beside it under the next free name, FILE.mine-N, which is returned. Throws MachineError.
std::filesystem::path keep_beside(const std::filesystem::path& file);

}  // namespace ridge::cli
