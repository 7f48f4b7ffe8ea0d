// A clone of one rung that the real graders can grade.
#pragma once

#include <string>

#include "tests/harness/cli/program_under_test.h"

namespace ridge::tests {

struct GradableClone : ScratchFolder {
  GradableClone() {
    write("CMakeLists.txt", "");
    write("labs/01-kernel-basics/lab.toml", kVectorAddToml);
    for (const char* tree : {"labs", "solutions"}) {
      write(std::string(tree) + "/01-kernel-basics/1-vector-add.cu",
            source(tree == std::string("solutions")));
    }
    write("tests/known_wrong/01-kernel-basics/1-vector-add/no-guard.cu",
          "// expect: OUT OF BOUNDS\n" + source(true, "true"));
  }
  static std::string source(bool right, const std::string& guard = "i < n") {
    return std::string("#include <cuda_runtime.h>\n") + (right ? "" : "// TODO: add\n") +
           "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
           (right ? "  if (" + guard + ") c[i] = a[i] + b[i];\n" : "") +
           "}\n"
           "extern \"C\" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {\n"
           "  add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);\n}\n";
  }
  void write_students(const std::string& text) const { write("labs/01-kernel-basics/1-vector-add.cu", text); }
};

}  // namespace ridge::tests
