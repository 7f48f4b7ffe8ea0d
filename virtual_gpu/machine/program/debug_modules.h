// Which of the process's modules libbacktrace looks into. It reads the debug information of all that are
// loaded before it answers the first question; where that of the C library is installed, unpacking it takes
// 0.07 s, longer than many a launch, for lines that nobody asks about.
#pragma once

namespace ridge::machine {

// While one lives, this thread's dl_iterate_phdr leaves out the modules whose path `skips` says yes to: in
// programs linked with --wrap=dl_iterate_phdr (ridge_debug_lines); in others all are seen.
class ModuleFilter {
 public:
  using Skips = bool (*)(const char* path);
  explicit ModuleFilter(Skips skips);
  ~ModuleFilter();
  ModuleFilter(const ModuleFilter&) = delete;
  ModuleFilter& operator=(const ModuleFilter&) = delete;
  static Skips now();  // nullptr: none lives
};

}  // namespace ridge::machine
