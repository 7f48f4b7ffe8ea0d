// Names of global variables and functions in the text of LLVM IR: "@name".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::build {

// Replaces "@name" by `to` where it is the whole name; whether there was one.
bool replace_name(std::string& line, std::string_view name, std::string_view to);

// The name that a line defines or declares, "@name = ..." at its beginning; "" in other lines.
std::string_view defined_name(std::string_view line);

// `lines` are the device's IR. With -fgpu-rdc clang 19 renames a static variable to NAME__static__ID once the host uses
// it, so that names of other files do not clash; uses before that have the name without the ID, which nothing defines.
// Afterwards they have the name that is defined.
void rename_uses_of_statics(std::vector<std::string>& lines);

}  // namespace ridge::build
