// A library of NVIDIA's, opened when a baseline needs it. Their headers are not needed to build: what we call
// is declared here and beside its use; tests/harness/runner compares what it can with the headers,
// where there are any.
#pragma once

#include <string>
#include <string_view>

#include "harness/runner/child/baseline.h"

namespace ridge::runner {

class Library {
 public:
  // Throws MissingLibrary with the loader's words. Stays open as long as the process.
  static Library open(std::string_view name, std::string_view soname, std::string_view mend);

  // The function of that name; throws MissingLibrary (the library is too old) when there is none.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  void* handle_ = nullptr;
  std::string name_, soname_, mend_;
};

// Of the baseline's kind in the table of harness/runner/baselines.h.
Library open_library_of(std::string_view baseline);

// Throws std::runtime_error "cuBLAS: making a handle: status 14" unless status is 0.
void expect_success(int status, std::string_view library, std::string_view doing);

// "13.1.0" of 130100 and the like: the places are factors of `step`.
std::string version_text(int version, int step);

}  // namespace ridge::runner
