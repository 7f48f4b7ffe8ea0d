// `ridge nvcc`: runs nvcc with the flags that let a program run on either engine.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/build/clang/programs/program.h"
#include "harness/build/compile.h"
#include "harness/build/compiler.h"
#include "harness/cli/command.h"
#include "harness/cli/commands/nvcc_arguments.h"
#include "harness/cli/program_start.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/runner/installation.h"

namespace ridge::cli {
namespace {

bool starts_with_any(const std::string& argument, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return argument.starts_with(name); });
}

bool is_any(const std::string& argument, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return argument == name; });
}

// -arch=all and all-major: machine code for every GPU, but PTX only for the newest, which the
// virtual GPU does not simulate.
bool wants_every_architecture(const std::vector<std::string>& given) {
  std::string text = " ";
  for (const std::string& argument : given)
    text += argument + ' ';
  if (text.find(" -gencode") != std::string::npos ||
      text.find(" --generate-code") != std::string::npos)
    return false;
  for (const char* name : {" -arch", " --gpu-architecture"}) {
    for (const char* value : {"=all ", "=all-major ", " all ", " all-major "}) {
      if (text.find(std::string(name) + value) != std::string::npos) return true;
    }
  }
  return false;
}

// The architecture of this machine's GPU, otherwise 90a. The query takes time, so it is made only
// where there is a driver.
std::string architecture_here() {
  const char* const kFallback = "90a";
  if (access("/proc/driver/nvidia/version", R_OK) != 0) return kFallback;
  try {
    const runner::Installation installation = runner::find_installation();
    const auto libraries = runner::find_toolkit_libraries();
    if (!libraries) return kFallback;
    const runner::Probe probe = runner::probe(installation, *libraries);
    return probe.gpus.empty() ? kFallback : probe.gpus.front().architecture();
  } catch (const std::exception&) {
    return kFallback;  // compiling needs no GPU
  }
}

int run_nvcc(const std::vector<std::string>& given) {
  const build::Compiler compiler = build::choose_tried_compiler();
  if (compiler.is_clang()) {
    if (given.empty() || given[0] == "--version") {
      fmt::print("{}", compiler.llvm->build.substr(0, compiler.llvm->build.find("InstalledDir")));
      return kPassed;
    }
    return build::clang::build_program(*compiler.llvm,
                                       build::clang::program_from_nvcc_words(given));
  }
  const build::Toolkit& toolkit = *compiler.toolkit;
  const bool chosen = chooses_architecture(given);
  std::vector<std::string> words = nvcc_arguments(given, chosen ? "" : architecture_here());
  become(toolkit.nvcc, std::move(words), "run `ridge doctor`");
}

}  // namespace

bool chooses_architecture(const std::vector<std::string>& given) {
  return std::any_of(given.begin(), given.end(), [](const std::string& argument) {
    return starts_with_any(argument, {"-arch", "--gpu-architecture", "-gencode", "--generate-code",
                                      "-code", "--gpu-code"});
  });
}

std::vector<std::string> nvcc_arguments(const std::vector<std::string>& given,
                                        const std::string& architecture) {
  const auto has = [&](auto matches) { return std::any_of(given.begin(), given.end(), matches); };
  const bool runtime = has([](const auto& a) {
    return starts_with_any(a, {"-cudart", "--cudart"});
  });
  const bool compression = has([](const auto& a) {
    return starts_with_any(a, {"-compress-mode", "--compress-mode"});
  });
  const bool lines = has([](const auto& a) {
    return is_any(a, {"-lineinfo", "--generate-line-info", "-G", "--device-debug"});
  });
  const bool host_lines = has([](const auto& a) { return is_any(a, {"-g", "--debug"}); });
  std::vector<std::string> words;
  if (!chooses_architecture(given)) {
    const std::vector<std::string> flags = build::engine_flags(architecture);
    words.insert(words.end(), flags.begin(), flags.begin() + 2);  // -gencode and its value
  }
  if (wants_every_architecture(given))
    words.insert(words.end(), {"-gencode", "arch=compute_90,code=compute_90"});
  if (!runtime) words.insert(words.end(), {"-cudart", "shared"});
  if (!compression) words.push_back("--compress-mode=none");
  if (!lines) words.push_back("-lineinfo");
  // Adds line numbers of host code, so that messages can name the line of a cudaMalloc; nvcc takes
  // 1 to 2% longer. A -g of the caller is kept.
  if (!host_lines) words.insert(words.end(), {"-Xcompiler", "-g1"});
  words.insert(words.end(), given.begin(), given.end());
  return words;
}

void add_nvcc(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("nvcc", "nvcc with the flags that let a program run on either engine");
  command->footer(
      "All arguments go to nvcc. Added, each unless you gave your own: -gencode for this machine's GPU "
      "(sm_90a without\n"
      "one) with PTX, -cudart shared, --compress-mode=none, -lineinfo, and -Xcompiler -g1 (messages then "
      "name "
      "the line\n"
      "of the cudaMalloc). To -arch=all and all-major, which have PTX for the newest GPU only, PTX for sm_90 is added.\n"
      "Without an nvcc, or with --with clang, clang compiles with Ridgepoint's own headers; it takes nvcc's everyday\n"
      "options.\n"
      "Example:\n  ridge nvcc -O3 prog.cu -o prog\n  ridge exec -- ./prog");
  command->callback([&invocation] { invocation.exit_status = run_nvcc(invocation.rest); });
}

}  // namespace ridge::cli
