// A lab of one rung in a scratch folder, to be compiled.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "harness/build/compile.h"
#include "tests/harness/course/scratch_course.h"

namespace ridge::tests {

constexpr const char* kKernel = R"(#include "signature.h"
__global__ void set(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = kValue; }
extern "C" void go(float* a, int n, cudaStream_t s) { set<<<1, 32, 0, s>>>(a, n); }
)";

struct Lab : ScratchFolder {
  Lab() {
    write("labs/01/signature.h",
          "#pragma once\n#include <cuda_runtime.h>\nconstexpr float kValue = 1;\n");
    write("labs/01/1-set.cu", kKernel);
    write("solutions/01/1-set.cu", kKernel);
  }
  build::Compiled compile(const std::string& file = "labs/01/1-set.cu",
                          const std::string& arch = "90a") const {
    return build::compile(path / file, path / ".cache", arch, {path / "labs/01"});
  }
};

inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

struct Environment {  // a variable for the length of a scope
  std::string name, before;
  Environment(const char* variable, const std::string& value) : name(variable) {
    if (const char* old = getenv(variable)) before = old;
    setenv(variable, value.c_str(), 1);
  }
  ~Environment() {
    before.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), before.c_str(), 1);
  }
};

}  // namespace ridge::tests
