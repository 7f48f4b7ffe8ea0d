// Filters the modules whose debug information libbacktrace reads. It reads all modules that are
// loaded before its first answer; if the debug information of the C library is installed, unpacking
// it takes 0.07 s, longer than many launches, for lines that nobody needs.
#pragma once

namespace ridge::machine {

// During its lifetime this thread's dl_iterate_phdr omits modules whose path satisfies `skips`: in
// programs linked with --wrap=dl_iterate_phdr (ridge_debug_lines); in other programs all modules
// are visible.
class ModuleFilter {
 public:
  using Skips = bool (*)(const char* path);
  explicit ModuleFilter(Skips skips);
  ~ModuleFilter();
  ModuleFilter(const ModuleFilter&) = delete;
  ModuleFilter& operator=(const ModuleFilter&) = delete;
  static Skips now();  // nullptr: there is none
};

}  // namespace ridge::machine
