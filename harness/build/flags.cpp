// The flags of nvcc for programs that both engines run, and for a lab's file.
#include <fmt/format.h>

#include "harness/build/compile.h"

namespace ridge::build {

std::vector<std::string> engine_flags(const std::string& architecture) {
  // Not -arch=sm_90a: with nvcc 13.0 that shorthand adds a pass for compute_90, which rejects wgmma
  // and setmaxnreg.
  return {"-gencode", fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]", architecture),
          "-cudart", "shared", "--compress-mode=none"};
}

std::vector<std::string> lab_flags(const std::string& architecture) {
  std::vector<std::string> flags = engine_flags(architecture);
  flags.insert(
      flags.end(),
      {"-lineinfo", "-std=c++20", "-O3", "-Xptxas", "-v", "-shared", "-Xcompiler", "-fPIC",
       // Report a function that is declared but not defined as an error here, not when the
       // object is loaded.
       "-Xlinker", "-z,defs",
       // Constexpr functions such as std::max in kernels, as clang has them without an option.
       "--expt-relaxed-constexpr",
       // Without this, the headers of NVTX call dlopen and dlsym, which the symbol scan
       // rejects. A file may mark NVTX ranges; no profiler is loaded into the process.
       "-DNVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY=0"});
  return flags;
}

}  // namespace ridge::build
