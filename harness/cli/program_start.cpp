#include "harness/cli/program_start.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "harness/build/process.h"
#include "harness/cli/terminal/exit_status.h"

namespace ridge::cli {

void become(const std::filesystem::path& program, std::vector<std::string> arguments,
            const std::string& advice) {
  const std::string name = program.string();
  std::vector<char*> words = {const_cast<char*>(name.c_str())};
  for (std::string& argument : arguments)
    words.push_back(argument.data());
  words.push_back(nullptr);
  for (const auto& [variable, value] : build::added_for_children())
    setenv(variable.c_str(), value.c_str(), 1);
  execvp(name.c_str(), words.data());
  throw MachineError(fmt::format("cannot start {}: {}; {}", name, std::strerror(errno), advice));
}

}  // namespace ridge::cli
