// Opens a library of NVIDIA's when a baseline needs it. Its headers are not needed to build: the
// functions that we call are declared here and where they are used; tests/harness/runner compares
// them with the headers if those are installed.
#pragma once

#include <string>
#include <string_view>

#include "harness/runner/child/baseline.h"

namespace ridge::runner {

class Library {
 public:
  // Throws MissingLibrary with the loader's message. The library stays open until the process ends.
  static Library open(const LibraryKind& kind);

  // The function of that name; throws MissingLibrary (the library is too old) when it does not
  // exist.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  void* handle_ = nullptr;
  std::string name_, soname_, install_;
};

// Throws std::runtime_error such as "cuBLAS: making a handle: status 14" unless status is 0.
void expect_success(int status, std::string_view library, std::string_view doing);

// "13.1.0" for 130100 and the like: the parts are factors of `step`.
std::string version_text(int version, int step);

}  // namespace ridge::runner
