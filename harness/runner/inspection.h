// Inspects the child from outside (/proc), before it loads the student's file and after the calls.
// The student's code shares a process with its caller, so the process itself cannot be trusted to
// report whether the code was changed, libraries were loaded, threads were left running, or replies
// were forged.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ridge::runner {

struct ProcessSnapshot {
  bool visible = false;
  std::set<std::string> libraries;  // files mapped as code
  std::map<std::string, uint64_t>
      frozen;                        // "file offset": a hash of each read-only mapping of a file
  std::vector<std::string> threads;  // names of all threads but the first
  std::string name;                  // name of the process
  // Where its first thread waits for a command: the stack pointer, and the file of the code. 0:
  // unknown.
  uint64_t waits_with_stack = 0;
  std::string waits_in;
};

// With an earlier snapshot, only the mappings in its `frozen` are read: a library that a baseline
// loaded since may have over half a gigabyte, and nobody compares its bytes.
ProcessSnapshot snapshot_of(pid_t process, const ProcessSnapshot* earlier = nullptr);

// Returns "" or a violation that completes "Your code ": "has left 2 threads running". `object`:
// the student's own file.
struct Allowed {
  bool libraries = false;               // a baseline loaded some in between
  // The driver starts a thread without a name for host functions in streams.
  int threads = 0;
  std::vector<std::string> files = {};  // code that we loaded into it
};
std::string what_changed(const ProcessSnapshot& before, const ProcessSnapshot& after,
                         const std::string& object, const Allowed& allowed);

}  // namespace ridge::runner
