#include "harness/runner/child/student_code.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

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
  if (!code.entry)
    throw std::runtime_error(
        fmt::format("it exports no function named {}. The harness calls\nextern \"C\" void {}{}", entry,
                    entry, code.problem->signature));
  return code;
}

}  // namespace ridge::runner
