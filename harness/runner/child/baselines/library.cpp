#include "harness/runner/child/baselines/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

namespace ridge::runner {

Library Library::open(const LibraryKind& kind) {
  Library library;
  library.name_ = kind.name;
  library.soname_ = kind.soname;
  library.install_ = kind.install;
  // RTLD_LOCAL: the student's code must not find its functions.
  library.handle_ = dlopen(library.soname_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle_) {
    const char* words = dlerror();
    throw MissingLibrary{library.name_,
                         fmt::format("{} could not be opened ({}); to get it: {}", kind.name,
                                     words ? words : kind.soname, kind.install)};
  }
  return library;
}

void* Library::symbol(const char* name) const {
  void* found = dlsym(handle_, name);
  if (!found)
    throw MissingLibrary{
        name_, fmt::format("the {} of this machine ({}) has no function {}; to get a newer one: {}", name_,
                           soname_, name, install_)};
  return found;
}

void expect_success(int status, std::string_view library, std::string_view doing) {
  if (status != 0) throw std::runtime_error(fmt::format("{}: {}: status {}", library, doing, status));
}

std::string version_text(int version, int step) {
  return fmt::format("{}.{}.{}", version / step / step, version / step % step, version % step);
}

}  // namespace ridge::runner
