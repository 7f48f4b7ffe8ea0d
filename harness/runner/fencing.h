// How the child is fenced in: which fence, how it is built, and what is said of it.
#pragma once

#include <string>
#include <vector>

#include "harness/runner/child_process.h"
#include "harness/sandbox/confine.h"

namespace ridge::runner {

struct Fencing {
  sandbox::Fence fence = sandbox::Fence::none;
  std::string why_not;     // it cannot be tried: not installed
  bool landlock = false;   // limits: files too
  bool drop_root = false;  // bubblewrap, started by root: the child becomes nobody
};

// Strongest first; the one that worked before in this process comes before the stronger ones that did not.
std::vector<Fencing> fencings_to_try(bool gpu);
void remember_working(const Fencing& fencing, bool gpu);

std::string name_of(const Fencing& fencing);
// wrapper and arguments; the scratch folder of `ground` becomes the child's when the child becomes another
// user.
StartOptions start_options(const Fencing& fencing, const sandbox::Ground& ground);
std::string words_for(const Fencing& fencing, const sandbox::Confined& got);
// "" unless what was asked for by name (RIDGE_SANDBOX) is not all in force.
std::string complaint_about(const Fencing& fencing, const sandbox::Confined& got);

}  // namespace ridge::runner
