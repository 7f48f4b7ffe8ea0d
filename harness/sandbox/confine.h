// Permanently restricts this process before it runs untrusted code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/sandbox/policy.h"

namespace ridge::sandbox {

struct Confinement {
  std::optional<unsigned> become_user;  // if root: become this user and group, without other groups
  bool landlock = false;                // restrict file access to those of `policy`
  // No network, no processes, no inspecting or signalling others.
  bool filter_calls = false;
  // The process is in a network of its own: sockets are allowed if its loopback interface is up and
  // alone there.
  bool own_network = false;
  int64_t most_file_bytes = int64_t{4} << 30;
  int64_t most_cpu_seconds = 3600;
  Policy policy;
};

// Which restrictions are in force: a kernel may lack Landlock (before 5.13, or disabled) or
// seccomp.
struct Confined {
  bool user = false, files = false, calls = false, loopback = false;
};

// Call it while there is only one thread. Never throws: the result lacks what did not work.
Confined confine_this_process(const Confinement& confinement);

// The single steps.
bool confine_files(const Policy& policy);
bool filter_calls(bool allow_loopback = false);
bool become_user(unsigned id);

// Conversion to and from arguments of a program. The parser stops at the first argument that is not
// its own and sets `at` to it.
std::vector<std::string> to_arguments(const Confinement& confinement);
Confinement from_arguments(const std::vector<std::string>& arguments, size_t& at);

}  // namespace ridge::sandbox
