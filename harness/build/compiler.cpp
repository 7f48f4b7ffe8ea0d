#include "harness/build/compiler.h"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "harness/build/clang/device_ir.h"
#include "harness/build/nvcc/nvcc_compile.h"
#include "harness/build/process.h"
#include "text/whole_file.h"

namespace ridge::build {
namespace {

const char* const kNoNvcc = "There is no nvcc in $CUDA_HOME/bin, PATH or /usr/local/cuda/bin.";

std::mutex mutex;
std::string nvcc_given_up;  // why; empty: it was not
std::string passed_over;    // what nvcc_passed_over() says

std::string asked_for() {
  const char* value = std::getenv(kCompilerVariable);
  return value ? value : "";
}

Compiler with_clang(const std::string& why) {
  std::optional<clang::Clang> found = clang::find_clang();
  if (!found) {
    throw std::runtime_error(fmt::format(
        "no compiler for CUDA C++ was found. {}\nInstall clang, {} MB from your distribution:\n"
        "  sudo apt-get install --no-install-recommends clang-{} g++\n"
        "or nvcc of the CUDA Toolkit {}:\n{}\nThen run `ridge doctor`.",
        why, 49, clang::kPreferred, kToolkitMajor, toolkit_commands()));
  }
  return {std::nullopt, std::move(found), why};
}

// Why the toolkit's nvcc cannot be used; empty: it can, and is in `toolkit`.
std::string why_not_nvcc(std::optional<Toolkit>& toolkit) {
  {
    const std::lock_guard lock(mutex);
    if (!nvcc_given_up.empty()) return nvcc_given_up;
  }
  try {
    toolkit = find_toolkit();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  if (!toolkit) return kNoNvcc;
  if (toolkit->major != kToolkitMajor) {
    return fmt::format("{} is of CUDA {}, and the course needs CUDA {}.x.", toolkit->nvcc.string(),
                       toolkit->version, kToolkitMajor);
  }
  return {};
}

}  // namespace

std::string Compiler::name() const {
  return is_clang() ? "clang" : "nvcc";
}
std::string Compiler::version() const {
  return is_clang() ? "clang " + llvm->version : toolkit->version;
}
std::string Compiler::build() const {
  return is_clang()
             ? fmt::format("{}\n{}\n{}", llvm->program.string(), llvm->build, kDeviceIrVersion)
             : fmt::format("{}\n{}\n{}", toolkit->nvcc.string(), toolkit->build,
                           kShorterHeadersVersion);
}
std::filesystem::path Compiler::program() const {
  return is_clang() ? llvm->program : toolkit->nvcc;
}

Compiler choose_compiler() {
  const std::string asked = asked_for();
  if (asked == "clang") return with_clang("It was asked for.");
  if (asked == "nvcc") return {need_toolkit(), std::nullopt, "It was asked for."};
  if (!asked.empty()) {
    throw std::runtime_error(fmt::format(
        "{}={}: there is no such compiler; nvcc and clang are possible", kCompilerVariable, asked));
  }
  std::optional<Toolkit> toolkit;
  const std::string why = why_not_nvcc(toolkit);
  if (!why.empty()) {
    Compiler compiler = with_clang(why);
    const std::lock_guard lock(mutex);
    if (why != kNoNvcc)
      passed_over = fmt::format("{} {} compiles instead.", why, compiler.version());
    return compiler;
  }
  return {std::move(toolkit), std::nullopt, "It is the toolkit's, and is used where there is one."};
}

Compiler choose_tried_compiler() {
  Compiler compiler = choose_compiler();
  if (compiler.is_clang()) return compiler;
  const Finished finished =
      run({compiler.program().string(), "-x", "cu", "-E", "-o", "/dev/null", "/dev/null"},
          {{"LC_ALL", "C"}});
  if (finished.status == 0 || !lacks_host_compiler(finished.output) ||
      !give_up_nvcc(without_host_compiler(compiler)))
    return compiler;
  return choose_compiler();
}

bool lacks_host_compiler(const std::string& messages) {
  for (const char* words : {"unsupported GNU version", "unsupported clang version",
                            "Failed to preprocess host compiler properties", "gcc: not found",
                            "g++: not found", "gcc: No such file", "cc1plus: No such file"})
    if (messages.find(words) != std::string::npos) return true;
  return false;
}

std::string without_host_compiler(const Compiler& nvcc) {
  return fmt::format("{} has no host compiler that it supports.", nvcc.program().string());
}

std::string nvcc_passed_over() {
  const std::lock_guard lock(mutex);
  return passed_over;
}

bool give_up_nvcc(const std::string& why) {
  if (!asked_for().empty() || !clang::find_clang()) return false;
  const std::lock_guard lock(mutex);
  nvcc_given_up = why;
  return true;
}

}  // namespace ridge::build
