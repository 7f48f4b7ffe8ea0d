// One file on its way through a compiler: what both compilers share, from the sandbox to how a run ended.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/build/compile.h"
#include "harness/build/process.h"

namespace ridge::build {

struct OneFile {
  std::filesystem::path source;  // what the compiler reads
  std::filesystem::path shown;   // the file's name in messages
  std::filesystem::path object;  // what it writes, in a folder of its own
  std::vector<std::filesystem::path>
      folders;  // that of the source, then the others that have headers
  std::filesystem::path cache_folder;
  const std::atomic<bool>* stop = nullptr;
};

std::vector<std::filesystem::path> headers_in(const std::filesystem::path& folder);

// The name to show: relative to the current folder when the file is under it, so that it can be clicked or
// pasted.
std::string shown_name(const std::filesystem::path& source);

// A file that is compiled is input that nobody vouches for: templates that never end, an #include of a file
// that is none of its business.
RunLimits compile_limits(const std::atomic<bool>* stop);

// bubblewrap that shows nothing but the system, `readable` (the compiler's own), the lab's folder, the source with
// the headers beside it (what else lies there may be somebody else's work), and the place for the object; empty
// where the compiler is not sandboxed.
std::vector<std::string> sandbox_for(const OneFile& file,
                                     const std::vector<std::filesystem::path>& readable);

// Throws for a failure that says nothing about the source: the person interrupted, the compiler
// cannot run, the disk is full, or the system ended the compiler for lack of memory.
void throw_unless_about_source(const Finished& finished, const OneFile& file,
                               const std::filesystem::path& compiler);
// Whether it compiled, and how we or a signal ended it. `name`: the compiler's, for sentences.
void note_end(Compiled& compiled, const Finished& finished, const std::string& name);

}  // namespace ridge::build
