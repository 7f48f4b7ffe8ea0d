#include "harness/runner/child/student_code.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

namespace {

// The object names a C++ function `entry`, whatever its arguments are: its name is mangled.
bool defines_for_cpp(const std::filesystem::path& object, const std::string& entry) {
  std::ifstream stream(object, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  return bytes.find(fmt::format("_Z{}{}", entry.size(), entry)) != std::string::npos;
}

}  // namespace

StudentCode StudentCode::load(const std::filesystem::path& object, const std::string& entry,
                              std::string_view problem) {
  StudentCode code;
  code.problem = &problems::find_problem(problem);
  set_student_object(object.string());
  void* library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* words = dlerror();
    throw std::runtime_error(words ? words : "the compiled file could not be loaded");
  }
  code.entry = dlsym(library, entry.c_str());
  if (!code.entry && defines_for_cpp(object, entry))
    throw std::runtime_error(
        fmt::format("its function {0} has C++ linkage: the compiled file has it under a longer name. Write extern \"C\" "
                    "before it:\nextern \"C\" void {0}{1}",
                    entry, code.problem->signature));
  if (!code.entry)
    throw std::runtime_error(
        fmt::format("it exports no function named {}. The harness calls\nextern \"C\" void {}{}", entry,
                    entry, code.problem->signature));
  return code;
}

}  // namespace ridge::runner
