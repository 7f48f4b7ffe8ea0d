// The student's shared object, and a call of its entry.
#pragma once

#include <filesystem>

#include "harness/problems/problem.h"

namespace ridge::runner {

struct StudentCode {
  void* entry = nullptr;
  const problems::Problem* problem = nullptr;

  // Throws std::runtime_error with the loader's words, or that the entry is missing.
  static StudentCode load(const std::filesystem::path& object, const std::string& entry,
                          std::string_view problem);
  // Only the call: nothing is checked or waited for.
  void call(const problems::Arguments& arguments) const { problem->call(entry, arguments); }
};

}  // namespace ridge::runner
