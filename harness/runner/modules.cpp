#include "harness/runner/modules.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "harness/build/compile.h"
#include "text/whole_file.h"

namespace ridge::runner {

namespace fs = std::filesystem;

namespace {

// Writes the file for nvcc. Another process may write the same file, so each writes its own and
// renames it.
fs::path written(const ModuleText& module, const fs::path& cache) {
  const fs::path folder = cache / "modules";
  fs::create_directories(folder);
  fs::path file = folder / fmt::format("{}.cu", module.name);
  if (text::read_file_if_readable(file) == module.text) return file;
  const fs::path own = folder / fmt::format("{}.{}.tmp", module.name, getpid());
  std::ofstream stream(own, std::ios::binary);
  stream << module.text;
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("cannot write {}", own.string()));
  fs::rename(own, file);
  return file;
}

}  // namespace

fs::path compile_module(std::string_view name, const fs::path& cache,
                        const std::string& architecture) {
  for (const ModuleText& module : module_texts()) {
    if (module.name != name) continue;
    const build::Compiled compiled = build::compile(written(module, cache), cache, architecture);
    if (!compiled.ok)
      throw std::runtime_error(
          fmt::format("the compiler could not compile the module {} that timing needs:\n{}", name,
                      compiled.messages));
    return compiled.object;
  }
  throw std::invalid_argument(fmt::format("there is no module \"{}\"", name));
}

}  // namespace ridge::runner
