// Reports what this machine has, what is missing, and which command installs it.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "harness/build/compiler.h"
#include "harness/build/process.h"
#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/terminal.h"
#include "harness/runner/installation.h"
#include "harness/runner/session.h"
#include "text/layout.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

struct Finding {
  std::string what;
  bool found = false;
  bool needed = true;  // false: optional
  std::string detail;  // what was found, or the effect of its absence
  std::string remedy;  // the command that installs or repairs it
};

// Which compiler the labs are compiled with, and why.
Finding find_lab_compiler() {
  Finding finding{"lab compiler", false, true, "", ""};
  try {
    const build::Compiler compiler = build::choose_tried_compiler();
    finding.found = true;
    finding.detail = fmt::format("{}{}, {}. {}", compiler.is_clang() ? "" : "nvcc of CUDA ",
                                 compiler.version(), compiler.program().string(), compiler.why);
  } catch (const std::exception& error) {
    finding.detail = error.what();
  }
  return finding;
}

// Optional: its nvcc makes machine code, whose registers and spills are then known, and a GPU's baselines.
Finding find_toolkit_here() {
  Finding finding{"CUDA Toolkit", false, false,
                  "optional: machine code, registers, spills, and a GPU's baselines",
                  "what the labs need of it, in two commands:\n" + build::toolkit_commands()};
  try {
    const build::Toolkit toolkit = build::need_toolkit();
    finding.found = true;
    finding.detail = fmt::format("{} in {}", toolkit.version, toolkit.folder.string());
  } catch (const std::exception&) {  // the line above says why it is not used
  }
  return finding;
}

Finding find_compiler() {
  const build::Finished finished = build::run({"g++", "--version"});
  const bool found = finished.started && finished.status == 0;
  return {"C++ compiler", found, true,
          found ? finished.output.substr(0, finished.output.find('\n')) : "both compilers need it",
          "apt-get install g++"};
}

bool has_driver() {
  return access("/proc/driver/nvidia/version", R_OK) == 0;
}

Finding find_driver() {
  std::string detail = "only a GPU needs it";
  if (has_driver()) {
    const build::Finished finished = build::run({"cat", "/proc/driver/nvidia/version"});
    detail = finished.output.substr(0, finished.output.find('\n'));
  }
  return {"NVIDIA driver", has_driver(), false, detail,
          "if this machine has an NVIDIA GPU: https://www.nvidia.com/drivers"};
}

Finding find_gpu() {
  Finding finding{"GPU", false, false, "", "grade on the virtual GPU: ridge grade --on virtual"};
  try {
    const runner::Installation installation = runner::find_installation();
    const auto libraries = runner::find_toolkit_libraries();
    if (!libraries && !has_driver())
      return {"GPU", false, false, "none was found: labs are graded on the virtual GPU", ""};
    if (!libraries) {
      finding.detail =
          "not looked for: the CUDA Toolkit's libcudart.so.13, which lists GPUs, is missing";
      return finding;
    }
    const runner::Probe probe = runner::probe(installation, *libraries);
    finding.found = !probe.gpus.empty();
    if (!finding.found && !has_driver())  // not an error: most laptops have none
      return {"GPU", false, false, "none here: labs are graded on the virtual GPU", ""};
    finding.detail = probe.why_none;
    for (const runner::Gpu& gpu : probe.gpus) {
      finding.detail += fmt::format(
          "{}{} (sm_{}, {} SMs, {:.0f} GB)", finding.detail.empty() ? "" : ", ", gpu.name,
          gpu.architecture(), gpu.multiprocessors, static_cast<double>(gpu.memory_bytes) / 1e9);
    }
  } catch (const std::exception& error) {
    finding.detail = error.what();
  }
  return finding;
}

const char* instruction_set() {
  switch (runner::processor_level()) {
    case 4:
      return "x86-64-v4 (AVX-512)";
    case 3:
      return "x86-64-v3 (AVX2)";
    case 2:
      return "x86-64-v2";
    default:
      return "plain C++";
  }
}

Finding find_virtual_gpu() {
  const std::string why_not = runner::why_no_virtual_gpu(virtual_libraries());
  return {"virtual GPU", why_not.empty(), true,
          why_not.empty() ? fmt::format("this processor does {}", instruction_set()) : why_not, ""};
}

Finding find_runner() {
  const fs::path runner = program_folder() / "ridge-runner";
  const bool found = fs::exists(runner) && fs::exists(program_folder() / "ridge-keeper");
  return {"ridge-runner", found, true,
          found ? runner.string()
                : "with ridge-keeper it runs the student's code in a process of its own",
          "run ./ridge in the clone: it builds it"};
}

// Finds libraries that the labs compare with, in the folders where installers put them.
Finding find_library(const std::string& name, const std::string& file, const std::string& why,
                     const std::string& remedy) {
  std::vector<fs::path> folders = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                   "/usr/lib64", "/usr/local/cuda/lib64"};
  try {
    if (const auto toolkit = build::find_toolkit()) folders.push_back(toolkit->folder / "lib64");
  } catch (const std::exception&) {  // the line on the toolkit reports it
  }
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  std::istringstream listed(variable ? variable : "");
  for (std::string folder; std::getline(listed, folder, ':');)
    folders.emplace_back(folder);
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::exists(folder / file, ignored))
      return {name, true, false, (folder / file).string(), ""};
  }
  return {name, false, false, why, remedy};
}

Finding find_cub() {
  Finding finding{"CUB", false, false, "the baseline of reductions, on a GPU",
                  "it is part of the CUDA Toolkit's headers"};
  try {
    const auto toolkit = build::find_toolkit();
    if (!toolkit) return finding;
    for (const char* place : {"include/cccl/cub/cub.cuh", "include/cub/cub.cuh"}) {
      if (!fs::exists(toolkit->folder / place)) continue;
      finding.found = true;
      finding.detail = (toolkit->folder / place).string();
    }
  } catch (const std::exception&) {  // the line on the toolkit reports it
  }
  return finding;
}

// Checks the packages that ./ridge needs to build the grader. It installs the packages of other
// parts when they are first built. A copied build folder needs none.
Finding find_packages() {
  const std::vector<std::string> packages = {
      "cmake",          "ninja-build",         "g++",
      "libcli11-dev",   "libfmt-dev",          "nlohmann-json3-dev",
      "libsqlite3-dev", "libtomlplusplus-dev", "libzstd-dev",
      "liblz4-dev",     "libxbyak-dev",        "libseccomp-dev",
      "bubblewrap",     "pkg-config"};
  std::vector<std::string> command = {"dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n"};
  command.insert(command.end(), packages.begin(), packages.end());
  const build::Finished finished = build::run(command, {}, build::Keep::output_only);
  if (!finished.started) return {"packages", true, false, "not looked at: this is not Debian or "
                                                          "Ubuntu", ""};
  std::string missing;
  for (const std::string& package : packages) {
    const std::string line = "installed " + package + "\n";
    if (finished.output.find(line) == std::string::npos) missing += " " + package;
  }
  return {
      "packages", missing.empty(), true,
      missing.empty() ? fmt::format("all {} are installed", packages.size()) : "missing:" + missing,
      "apt-get install" + missing};
}

// Tests the sandbox with a child process on the virtual GPU.
Finding find_sandbox() {
  Finding finding{"sandbox", false, false, "", ""};
  try {
    runner::SessionOptions options;
    options.installation = runner::find_installation();
    options.library_folder = options.installation.virtual_libraries;
    finding.detail = runner::Session(options).sandbox();
    finding.found = !finding.detail.starts_with("none");
    if (!finding.detail.starts_with("bubblewrap"))
      finding.remedy =
          "apt-get install bubblewrap; and unless RIDGE_SANDBOX chose, the kernel must allow namespaces";
  } catch (const std::exception& error) {
    finding.detail = error.what();
  }
  return finding;
}

// The text next to the heading, or below it where the terminal is too narrow.
std::string heading_and(const std::string& heading, const std::string& detail,
                        const report::Style& style) {
  const size_t width = static_cast<size_t>(style.width),
               heading_columns = text::columns_of(heading);
  const size_t indent = style.narrow && width < 2 * heading_columns + 20 ? 4 : heading_columns;
  std::string text;
  for (const std::string& line : report::folded(detail, style.narrow ? width - indent : 1000))
    text += std::string(indent, ' ') + line + "\n";
  return indent < heading_columns
             ? heading.substr(0, heading.find_last_not_of(' ') + 1) + "\n" + text
             : heading + text.substr(heading_columns);
}

int doctor() {
  const report::Style style = report::style_of(1);
  const Finding findings[] = {
      find_gpu(),
      find_driver(),
      find_lab_compiler(),
      find_toolkit_here(),
      find_compiler(),
      find_library("cuBLAS", "libcublas.so.13", "the baseline of matrix products, on a GPU",
                   "it is part of the CUDA Toolkit; apt-get install libcublas-13-0"),
      find_library("cuDNN", "libcudnn.so.9", "the baseline of convolution and attention, on a GPU",
                   "apt-get install cudnn9-cuda-13"),
      find_library("NCCL", "libnccl.so.2", "the baseline of collectives, on several GPUs",
                   "apt-get install libnccl2"),
      find_cub(),
      find_packages(),
      find_runner(),
      find_virtual_gpu(),
      find_sandbox(),
  };
  bool all = true;
  for (const Finding& finding : findings) {
    const char* word = finding.found ? "ok" : finding.needed ? "MISSING" : "-";
    const report::Colour colour = finding.found    ? report::Colour::green
                                  : finding.needed ? report::Colour::red
                                                   : report::Colour::dim;
    const std::string heading = fmt::format("{}  {}  ", style.paint(colour, text::padded(word, 7)),
                                            text::padded(finding.what, 13));
    std::string detail = finding.detail + "\n";
    if ((!finding.found || finding.what == "sandbox") && !finding.remedy.empty())
      detail += "-> " + finding.remedy + "\n";
    fmt::print("{}", heading_and(heading, detail, style));
    all &= finding.found || !finding.needed;
  }
  fmt::print("\n{}\n",
             all ? "Labs can be graded here." : "Labs cannot be graded until everything MISSING "
                                                "is installed.");
  return all ? kPassed : kMachineLacks;
}

}  // namespace

void add_doctor(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("doctor", "what was found on this machine, what is missing, and how "
                                       "to install it");
  command->footer(
      "Exit status: 0 labs can be graded, 3 something needed is missing.\nExample:\n  ridge doctor");
  command->callback([&invocation] { invocation.exit_status = doctor(); });
}

}  // namespace ridge::cli
