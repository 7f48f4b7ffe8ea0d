// The student's shared object, and calls of its entry point.
#pragma once

#include <filesystem>

#include "harness/problems/problem.h"

namespace ridge::runner {

struct StudentCode {
  void* entry = nullptr;
  const problems::Problem* problem = nullptr;

  // Throws std::runtime_error with the loader's message, or when the entry point is missing.
  static StudentCode load(const std::filesystem::path& object, const std::string& entry,
                          std::string_view problem);
  // Only makes the call: checks nothing and does not wait.
  void call(const problems::Arguments& arguments) const { problem->call(entry, arguments); }
};

}  // namespace ridge::runner
