// Chooses how the child is confined: the mechanisms that are tried, and their descriptions.
#pragma once

#include <string>
#include <vector>

#include "harness/runner/child_process.h"
#include "harness/sandbox/confine.h"

namespace ridge::runner {

struct SandboxChoice {
  sandbox::Mechanism mechanism = sandbox::Mechanism::none;
  std::string why_not;     // it cannot be tried: not installed
  bool landlock = false;   // for limits: also restrict files
  bool drop_root = false;  // bubblewrap started by root: the child becomes nobody
};

// Strongest first; a mechanism that worked before in this process precedes stronger ones that
// failed.
std::vector<SandboxChoice> sandboxes_to_try(bool gpu);
void remember_working(const SandboxChoice& choice, bool gpu);

std::string name_of(const SandboxChoice& choice);
// Sets wrapper and arguments; the policy's scratch folder is given to the child when the child
// becomes another user.
StartOptions start_options(const SandboxChoice& choice, const sandbox::Policy& policy);
std::string words_for(const SandboxChoice& choice, const sandbox::Confined& got);
// "" unless a sandbox that was requested by name (RIDGE_SANDBOX) is not completely in force.
std::string complaint_about(const SandboxChoice& choice, const sandbox::Confined& got);

}  // namespace ridge::runner
