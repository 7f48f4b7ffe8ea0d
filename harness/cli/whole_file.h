// Replaces a whole file, so that a failure leaves the old text.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::cli {

// Replaces the content of the file; on a full disk the old content remains. Throws MachineError.
void replace_file(const std::filesystem::path& file, const std::string& text);

// Copies the file to the next free name, FILE.mine-N, which is returned. Throws MachineError.
std::filesystem::path keep_beside(const std::filesystem::path& file);

}  // namespace ridge::cli
