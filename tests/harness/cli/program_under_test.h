// The built `ridge`, run in a scratch clone.
#pragma once

#include <string>
#include <vector>

#include "harness/build/process.h"
#include "tests/harness/course/scratch_course.h"

namespace ridge::tests {

inline build::Finished ridge_in(const std::filesystem::path& root, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RIDGE_PROGRAM);
  return build::run(arguments, {{"RIDGE_ROOT", root.string()}, {"NO_COLOR", ""}});
}

// What starts a program as another user of the given group; none where we may not, or where that user cannot
// reach the program that we built.
inline std::vector<std::string> as_user(unsigned user, unsigned group) {
  std::vector<std::string> prefix = {"setpriv", "--reuid=" + std::to_string(user),
                                     "--regid=" + std::to_string(group), "--clear-groups"};
  std::vector<std::string> trial = prefix;
  trial.insert(trial.end(), {RIDGE_PROGRAM, "--version"});
  const build::Finished finished = build::run(trial);
  return finished.started && finished.status == 0 ? prefix : std::vector<std::string>{};
}

// A course of one rung that the real graders can grade: vector add.
inline const char* kVectorAddToml = R"([lab]
number = 1
title = "Kernel basics"
summary = "Threads and indices."
[[rung]]
name = "1-vector-add"
title = "Vector add"
idea = "One thread per element."
problem = "vector_add"
entry = "vector_add"
baseline = "device_copy"
sizes = [[1000], [65537]]
virtual_size = [65536]
gpu_size = [1048576]
target = { pass = 70, gold = 82 }
hints = ["first hint", "second hint", "third hint"]
)";

}  // namespace ridge::tests
