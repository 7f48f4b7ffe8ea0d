// A process gives up what it does not need, for good, before it runs code that nobody vouches for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/sandbox/policy.h"

namespace ridge::sandbox {

struct Confinement {
  std::optional<unsigned> become_user;  // of root: another user and group, with no other groups
  bool landlock = false;                // restrict it to the files of `policy`
  bool filter_calls = false;            // no network, no processes, no looking into or signalling others
  int64_t most_file_bytes = int64_t{4} << 30;
  int64_t most_cpu_seconds = 3600;
  Policy policy;
};

// What came of it: a kernel may have no Landlock (before 5.13, or switched off) or no seccomp.
struct Confined {
  bool user = false, files = false, calls = false;
};

// To be called while there is one thread. Never throws: what does not work is not in the answer.
Confined confine_this_process(const Confinement& confinement);

// Its parts.
bool confine_files(const Policy& policy);
bool filter_calls();
bool become_user(unsigned id);

// As arguments of a program, and back. The parser stops at the first argument that is not its own and moves
// `at` there.
std::vector<std::string> to_arguments(const Confinement& confinement);
Confinement from_arguments(const std::vector<std::string>& arguments, size_t& at);

}  // namespace ridge::sandbox
