// A small course in a temporary folder, removed at the end of the test.
#pragma once

#include <string>

#include "tests/scratch_folder.h"

namespace ridge::tests {

inline const char* kLabToml = R"([lab]
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
virtual_size = [1048576]
gpu_size = [67108864]
target = { pass = 70, gold = 82 }
hints = ["first hint", "second hint", "third hint"]
[[rung.gate]]
count = "sectors_per_request"
at_most = 4.5
why = "Neighbouring threads are to read neighbouring elements."

[[rung]]
name = "2-saxpy"
title = "Saxpy"
idea = "A grid-stride loop."
problem = "saxpy"
entry = "saxpy"
baseline = "device_copy"
sizes = [[1000]]
virtual_size = [4096]
gpu_size = [65536]
target = { pass = 70.5, gold = 82 }
hints = ["a", "b", "c"]
)";

struct ScratchCourse : ScratchFolder {
  explicit ScratchCourse(const std::string& toml = kLabToml) {
    write("CMakeLists.txt", "");
    write("labs/01-kernel-basics/lab.toml", toml);
    for (const char* tree : {"labs", "solutions"}) {
      for (const char* rung : {"1-vector-add", "2-saxpy"}) {
        write(std::string(tree) + "/01-kernel-basics/" + rung + ".cu", "// TODO\n");
      }
    }
  }
};

}  // namespace ridge::tests
