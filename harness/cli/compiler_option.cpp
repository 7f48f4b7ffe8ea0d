#include "harness/cli/compiler_option.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/build/compiler.h"
#include "harness/cli/terminal/exit_status.h"

namespace ridge::cli {

void take_compiler_option(std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] != "--with" && !words[i].starts_with("--with=")) continue;
    const bool apart = words[i] == "--with";
    if (apart && i + 1 == words.size()) throw UsageError("--with needs a compiler: nvcc or clang");
    const std::string name = apart ? words[i + 1] : words[i].substr(7);
    if (name != "nvcc" && name != "clang")
      throw UsageError(
          fmt::format("there is no compiler \"{}\"; --with takes nvcc or clang", name));
    setenv(build::kCompilerVariable, name.c_str(), 1);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(i + (apart ? 2 : 1)));
    --i;
  }
}

}  // namespace ridge::cli
