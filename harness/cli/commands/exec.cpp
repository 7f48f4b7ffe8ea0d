// Runs a program with the virtual GPU's libcudart instead of NVIDIA's. Checks first for problems
// that the loader would report in unhelpful words.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <sstream>

#include "harness/build/toolkit.h"
#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/device_option.h"
#include "harness/cli/elf_program.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/tracing/trace_choice.h"
#include "harness/runner/installation.h"
#include "text/shell_word.h"
#include "trace/environment.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

struct ExecOptions {
  std::string checks, report, trace, blocks, kernel;
  unsigned threads = 0, devices = 0;
  uint64_t launch = 0;
  double limit_mb = 0;
  bool summary = false;
};

const char* const kBuildIt = "build it with `ridge nvcc PROGRAM.cu -o PROGRAM`";

fs::path find_program(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos || fs::exists(name, ignored)) return fs::absolute(name);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return fs::absolute(name);
}

void check_file(const fs::path& file, const std::string& name) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw UsageError(fmt::format("{}: {}; give the path of a program, such as {}", name,
                                 std::strerror(errno),
                                 text::shell_word("./" + fs::path(name).filename().string())));
  }
  if (S_ISDIR(status.st_mode))
    throw UsageError(fmt::format("{} is a folder; give the path of a program", name));
  if (file.extension() == ".cu") {
    throw UsageError(fmt::format("{} is source; build it first: ridge nvcc {} -o {}", name,
                                 text::shell_word(name),
                                 text::shell_word(fs::path(name).stem().string())));
  }
  if (access(file.c_str(), X_OK) != 0) {
    throw UsageError(fmt::format("{} may not be executed ({}); if it is a program: chmod +x {}",
                                 name, std::strerror(errno), text::shell_word(name)));
  }
}

// Warns of libraries that access the GPU's driver directly: the program may still run without them.
void say_what_is_not_replaced(const ElfProgram& program, const std::string& name) {
  for (const std::string& library : program.needed) {
    for (const char* other : {"libcublas", "libcudnn", "libnccl", "libcufft", "libcusolver",
                              "libcusparse", "libcurand"}) {
      if (!library.starts_with(other)) continue;
      fmt::print(
          stderr,
          "warning: {} also needs {}, which the virtual GPU does not replace: its calls fail, as without a "
          "GPU, and the program's own kernels run; put kernels of your own in their place, or run this on "
          "a GPU\n",
          name, library);
    }
  }
}

// Throws when the virtual GPU cannot replace the runtime in this program.
void check_program(const ElfProgram& program, const std::string& name) {
  if (!program.executable) {
    throw UsageError(fmt::format(
        "{} is an object file or a core dump, not a program; link it with `ridge nvcc`", name));
  }
  if (!program.our_machine) {
    throw MachineError(
        fmt::format("{} was built for another processor than this machine's; build it here", name));
  }
  const std::optional<int> major = program.cudart_major();
  if (!major && program.has_kernels) {
    throw MachineError(fmt::format(
        "{} has the CUDA runtime linked into it (-cudart static is nvcc's default), so nothing "
        "can take its place; {}, "
        "which links libcudart.so.{}",
        name, kBuildIt, build::kToolkitMajor));
  }
  if (!major && !program.uses_driver()) {
    fmt::print(stderr,
               "note: {} has no CUDA code and does not use libcudart.so, so it runs as it is\n",
               name);
  }
  if (major && *major != build::kToolkitMajor) {
    throw MachineError(fmt::format(
        "{} was built with CUDA {}, and the virtual GPU takes the place of libcudart.so.{}; {}",
        name, *major, build::kToolkitMajor, kBuildIt));
  }
  if (program.has_kernels && !program.has_ptx) {
    throw MachineError(fmt::format(
        "{} holds machine code for some GPUs but no PTX, which is what the virtual GPU executes; "
        "{}, which puts it in",
        name, kBuildIt));
  }
  say_what_is_not_replaced(program, name);
}

void set(const char* variable, const std::string& value) {
  if (!value.empty()) setenv(variable, value.c_str(), 1);
}

// An absolute path, since the program may change its folder.
std::string trace_file(const ExecOptions& options) {
  if (options.trace.empty()) {
    if (!options.blocks.empty() || !options.kernel.empty() || options.launch != 0 ||
        options.limit_mb != 0)
      throw UsageError(
          "--blocks, --kernel, --launch and --limit say what to trace; add --trace FILE");
    return "";
  }
  check_blocks(options.blocks);
  check_trace_file(options.trace);
  return fs::absolute(options.trace).string();
}

int exec(const ExecOptions& options, const std::vector<std::string>& words) {
  if (words.empty())
    throw UsageError("no program was given; write it behind --: ridge exec -- ./prog");
  const std::string trace_to = trace_file(options);
  const std::string& name = words.front();
  const fs::path file = find_program(name);
  check_file(file, name);
  const std::optional<ElfProgram> program = inspect(file);
  if (!program) {
    throw UsageError(fmt::format(
        "{} is not a 64-bit program (not an ELF file); if it is a script, give the CUDA program that "
        "it starts, or {}",
        name, kBuildIt));
  }
  check_program(*program, name);
  const fs::path library =
      virtual_libraries() / fmt::format("libcudart.so.{}", build::kToolkitMajor);
  if (const std::string why = runner::why_no_virtual_gpu(virtual_libraries()); !why.empty())
    throw MachineError(why);
  const char* before = std::getenv("LD_LIBRARY_PATH");
  std::string folders = fs::canonical(virtual_libraries()).string();
  if (program->uses_driver())
    folders += ":" + (fs::canonical(virtual_libraries()) / "driver").string();
  if (before && *before) folders += std::string(":") + before;
  set("LD_LIBRARY_PATH", folders);
  // A DT_RPATH is read before LD_LIBRARY_PATH; only a preloaded library comes before that.
  if (program->fixed_path) set("LD_PRELOAD", fs::canonical(library).string());
  set(trace::kChecksVariable, options.checks);
  set(trace::kReportVariable, options.report);
  if (options.summary && options.report.empty())
    throw UsageError("--summary says what the report holds; add --report FILE");
  if (options.summary) set(trace::kReportSummaryVariable, "1");
  set(trace::kFaultStatusVariable, fmt::format("{}", kNotPassed));
  set(trace::kTraceVariable, trace_to);
  set(trace::kTraceBlocksVariable, options.blocks);
  set(trace::kTraceKernelVariable, options.kernel);
  if (options.launch > 0) set(trace::kTraceLaunchVariable, fmt::format("{}", options.launch));
  if (const uint64_t bytes = limit_bytes(options.limit_mb); bytes > 0)
    set(trace::kTraceLimitVariable, fmt::format("{}", bytes));
  if (options.threads > 0) set(trace::kThreadsVariable, fmt::format("{}", options.threads));
  if (options.devices > 0) set(trace::kDevicesVariable, fmt::format("{}", options.devices));

  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw MachineError(fmt::format("{} cannot be started: {}", name, std::strerror(errno)));
}

}  // namespace

void add_exec(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<ExecOptions>();
  CLI::App* command = program.add_subcommand(
      "exec", "run any CUDA program built by `ridge nvcc` on the virtual GPU");
  command->prefix_command();  // all arguments after the program's name belong to the program
  command->add_option("--checks", options->checks,
                      "all (default), none, or a list such as bounds,barrier");
  command->add_option("--threads", options->threads, "host threads (default: all cores)")
      ->check(CLI::Range(1u, 4096u));
  command->add_option("--report", options->report,
                      "append a JSON line for every kernel launch to this file");
  command->add_flag("--summary", options->summary,
                    "report one line for all launches of a kernel with one grid and block");
  command->add_option("--trace", options->trace,
                      "write an access trace of one launch to this file");
  command->add_option("--blocks", options->blocks, kBlocksHelp);
  command->add_option("--kernel", options->kernel, "trace a kernel whose name holds this text");
  command->add_option("--launch", options->launch, "trace the n-th such launch, from 1")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  command->add_option("--limit", options->limit_mb, kLimitHelp);
  add_device_option(*command);
  command->add_option("--devices", options->devices, "how many devices (default 1)")
      ->check(CLI::Range(1u, 64u));
  command->footer(
      "Usage: ridge exec [OPTIONS] -- PROGRAM [ARGUMENTS...]\n"
      "Exit status: the program's, and 1 in place of 0 when a kernel faulted; 2 or 3 with a message when it was\n"
      "not started.\n"
      "Example:\n  ridge nvcc prog.cu -o prog\n  ridge exec --checks bounds -- ./prog 1024\n"
      "  ridge exec --trace prog.rtrace --kernel transpose --launch 2 -- ./prog");
  command->callback([options, command, &invocation] {
    std::vector<std::string> words = command->remaining();
    words.insert(words.end(), invocation.rest.begin(), invocation.rest.end());
    if (!words.empty() && words.front().starts_with("-")) {
      throw UsageError(fmt::format(
          "{} is not an option of ridge exec; options come before --, and PROGRAM after it: "
          "ridge exec --checks none -- ./prog",
          words.front()));
    }
    invocation.exit_status = exec(*options, words);
  });
}

}  // namespace ridge::cli
