// Folders and files under .ridge in a clone that several people work in.
#pragma once

#include <filesystem>

namespace ridge::build {

// Makes the folder and those above it that are missing. Each gets the write bits (and the set-group-ID bit)
// of the folder it is made in, whatever the umask says: in a clone that a group may write to, the group can
// write to what one of it made.
void make_folders(const std::filesystem::path& folder, std::error_code& error);

// Makes the file, empty, when it is not there, with the write bits of its folder from its first moment. One
// that cannot be made is for whoever opens it to complain about.
void make_file(const std::filesystem::path& file);

// Whether we may make files in the folder, or make the folder.
bool can_write_in(const std::filesystem::path& folder);

}  // namespace ridge::build
