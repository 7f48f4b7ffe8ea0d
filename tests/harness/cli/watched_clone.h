// A clone with a course of two rungs for watch mode, and the ways in which editors save.
#pragma once

#include "harness/report/store/store.h"
#include "tests/harness/cli/program_under_test.h"

namespace ridge::tests {

inline const std::string kWatchedFile = "labs/01-kernel-basics/1-vector-add.cu";

// A file of the first rung with this kernel.
inline std::string source_with(const std::string& kernel) {
  return "#include <cuda_runtime.h>\n" + kernel +
         "extern \"C\" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {\n"
         "  add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);\n"
         "}\n";
}

inline std::string kernel_with(const std::string& body) {
  return "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         body + "}\n";
}

inline std::string unfinished() {
  return source_with(
      "// TODO: add\n__global__ void add(const float* a, const float* b, float* c, int n) {}\n");
}
inline std::string right() {
  return source_with(kernel_with("  if (i < n) c[i] = a[i] + b[i];\n"));
}
// Runs until the virtual GPU's limit of some seconds.
inline std::string endless() {
  return source_with(
      kernel_with("  while (reinterpret_cast<const volatile float*>(a)[0] < 1e30f) c[0] = 1;\n"));
}

struct WatchedClone : ScratchFolder {
  explicit WatchedClone(const std::string& first = unfinished()) {
    write("CMakeLists.txt", "");
    std::string toml = kVectorAddToml;
    std::string second = toml.substr(toml.find("[[rung]]"));
    second.replace(second.find("1-vector-add"), 12, "2-add-again");
    write("labs/01-kernel-basics/lab.toml", toml + second);
    write(kWatchedFile, first);
    write("labs/01-kernel-basics/2-add-again.cu", unfinished());
    for (const char* rung : {"1-vector-add", "2-add-again"})
      write(std::string("solutions/01-kernel-basics/") + rung + ".cu", right());
  }
  void save(const std::string& text) const { write(kWatchedFile, text); }
  // Writes a new file and renames it to the watched name, as vim and many other editors save.
  void save_by_rename(const std::string& text) const {
    write(kWatchedFile + "~new", text);
    std::filesystem::rename(path / (kWatchedFile + "~new"), path / kWatchedFile);
  }
  // As vim with backupcopy=no: the old file is moved away, a new one is written.
  void save_with_backup(const std::string& text) const {
    std::filesystem::rename(path / kWatchedFile, path / (kWatchedFile + "~"));
    write(kWatchedFile, text);
  }
  // In pieces, emptied first.
  void save_in_pieces(const std::string& text) const {
    write(kWatchedFile, "");
    write(kWatchedFile, text.substr(0, text.size() / 2));
    write(kWatchedFile, text);
  }
  report::RungRecord record() const {
    return report::Store::open(path).records()["01-kernel-basics/1-vector-add"];
  }
};

}  // namespace ridge::tests
