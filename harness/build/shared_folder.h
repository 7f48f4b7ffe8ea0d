// Creates folders and files under .ridge in a clone that several people use.
#pragma once

#include <filesystem>

namespace ridge::build {

// Creates the folder and its missing parents. Each gets the write bits (and the set-group-ID bit)
// of its parent, whatever the umask is: if a group may write to the clone, it may write to what any
// member created.
void make_folders(const std::filesystem::path& folder, std::error_code& error);

// Creates an empty file when it does not exist, with the write bits of its folder from the start.
// Failures are ignored: opening the file will report them.
void make_file(const std::filesystem::path& file);

// True when we may create files in the folder, or create the folder.
bool can_write_in(const std::filesystem::path& folder);

}  // namespace ridge::build
