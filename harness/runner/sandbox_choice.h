// How the child is confined: the mechanisms that are tried, and the words that describe them.
#pragma once

#include <string>
#include <vector>

#include "harness/runner/child_process.h"
#include "harness/sandbox/confine.h"

namespace ridge::runner {

struct SandboxChoice {
  sandbox::Mechanism mechanism = sandbox::Mechanism::none;
  std::string why_not;     // it cannot be tried: not installed
  bool landlock = false;   // limits: files too
  bool drop_root = false;  // bubblewrap, started by root: the child becomes nobody
};

// Strongest first; the one that worked before in this process comes before the stronger ones that did not.
std::vector<SandboxChoice> sandboxes_to_try(bool gpu);
void remember_working(const SandboxChoice& choice, bool gpu);

std::string name_of(const SandboxChoice& choice);
// wrapper and arguments; the scratch folder of `ground` becomes the child's when the child becomes another
// user.
StartOptions start_options(const SandboxChoice& choice, const sandbox::Policy& policy);
std::string words_for(const SandboxChoice& choice, const sandbox::Confined& got);
// "" unless what was asked for by name (RIDGE_SANDBOX) is not all in force.
std::string complaint_about(const SandboxChoice& choice, const sandbox::Confined& got);

}  // namespace ridge::runner
