#include "harness/build/clang/flags.h"

namespace ridge::build::clang {
namespace {

// The newest PTX version that clang 18 can write; it has all instructions of sm_90a.
const char* const kPtxFeature = "+ptx83";

void append(std::vector<std::string>& to, const std::vector<std::string>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

}  // namespace

std::vector<std::string> language_flags(const Clang& clang, const std::string& architecture) {
  return {
      "-x", "cuda", "--cuda-gpu-arch=sm_" + architecture,
      // No toolkit is looked for. The version is what clang checks features against: 9.2 brought the launch
      // function that cuda_runtime.h declares.
      "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.3",
      "-Wno-unknown-cuda-version", "-isystem", clang.headers.string(), "-include",
      "cuda_runtime.h"};
}

std::vector<std::string> device_flags() {
  return {"--cuda-device-only",
          std::string("--cuda-feature=") + kPtxFeature,
          "-S",
          "-emit-llvm",
          "-Xclang",
          "-disable-llvm-passes",
          "-gline-tables-only"};
}

std::vector<std::string> ptx_flags(const std::string& architecture) {
  return {
      "-x", "ir", "--target=nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang",
      "sm_" + architecture, "-Xclang", "-target-feature", "-Xclang", kPtxFeature, "-O3", "-S",
      // As nvcc does: loops of known length are unrolled and functions inlined, so that small arrays are
      // registers. With LLVM's own limits an 8 x 8 array of accumulators is in local memory.
      "-mllvm", "-unroll-threshold=2000", "-mllvm", "-inline-threshold=20000",
      // Loads stay in front of what they are to overlap with, and in front of the condition of a store that alone needs
      // them. What a pass moves to another block loses its line.
      "-mllvm", "-disable-machine-sink", "-mllvm", "-instcombine-code-sinking=false",
      // LLVM unrolls no loop with a shuffle or a barrier whose count it does not know; nvcc does, without a word.
      "-Wno-pass-failed"};
}

std::vector<std::string> lab_language_flags() {
  // The headers of NVTX then call no dlopen and dlsym, as with nvcc (harness/build/flags.cpp).
  return {"-std=c++20", "-O3", "-DNVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY=0"};
}

std::vector<std::string> lab_host_flags() {
  // Warnings were given for the device's part, which has the same text.
  std::vector<std::string> flags = {"--cuda-host-only", "-w"};
  append(flags, lab_object_flags());
  return flags;
}

std::vector<std::string> lab_object_flags() {
  // A function that is declared and nowhere defined is an error here, not when it is loaded.
  return {"-shared", "-fPIC", "-Wl,-z,defs"};
}

std::vector<std::string> host_ir_flags() {
  return {"--cuda-host-only", "-w", "-fPIC", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"};
}

std::vector<std::string> recorded_flags(const std::string& architecture) {
  std::vector<std::string> all = {"--cuda-gpu-arch=sm_" + architecture};
  append(all, lab_language_flags());
  append(all, device_flags());
  append(all, ptx_flags(architecture));
  append(all, lab_host_flags());
  return all;
}

}  // namespace ridge::build::clang
