// Replaces this process by another program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::cli {

// Does not return. `program` is a path, or a name searched in PATH. Throws MachineError with
// `advice` when it cannot be started.
[[noreturn]] void become(const std::filesystem::path& program, std::vector<std::string> arguments,
                         const std::string& advice);

}  // namespace ridge::cli
