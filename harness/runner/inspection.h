// What the parent sees of the child from outside (/proc), before it loads the student's file and after the
// calls. The student's code shares a process with the code that calls it: whether it changed that code,
// brought libraries, left threads running or answers in the runner's place, nobody inside can be asked.
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
      frozen;                        // "file offset": a hash of each mapping of a file that cannot be written
  std::vector<std::string> threads;  // names, the first one's left out
  std::string name;                  // the process's own
  // Where its first thread waits for a command: the stack pointer, and the file that holds the code. 0: not
  // seen.
  uint64_t waits_with_stack = 0;
  std::string waits_in;
};

// With an earlier snapshot of it, only mappings that were frozen then are read: a library that a baseline
// brought since is over half a gigabyte, and nothing compares its bytes.
ProcessSnapshot snapshot_of(pid_t process, const ProcessSnapshot* earlier = nullptr);

// "" or what is not as it should be, to be read after "Your code ": "has left 2 threads running". `object`:
// the student's own file.
struct Allowed {
  bool libraries = false;               // a baseline brought some in between
  int threads = 0;                      // the driver starts one without a name for host functions in streams
  std::vector<std::string> files = {};  // code that we had it load
};
std::string what_changed(const ProcessSnapshot& before, const ProcessSnapshot& after,
                         const std::string& object, const Allowed& allowed);

}  // namespace ridge::runner
