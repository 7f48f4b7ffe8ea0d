#include "harness/build/nvcc/nvcc_compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>

#include "harness/build/nvcc_output.h"
#include "harness/sandbox/bubblewrap.h"
#include "text/layout.h"

namespace ridge::build {
namespace {

namespace fs = std::filesystem;

bool has_control_character(const std::string& name) {
  return std::any_of(name.begin(), name.end(),
                     [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; });
}

// In the line table nvcc writes whole names, and these end it.
bool is_unwritable(const fs::path& path) {
  return path.string().find_first_of("\"`") != std::string::npos ||
         has_control_character(path.string());
}

// nvcc hands its options to a shell and its list options to a splitter, and loses these characters.
bool loses(const fs::path& path) {
  return path.string().find_first_of("'\"$`\\,") != std::string::npos || is_unwritable(path);
}

// Next to the running program; empty where it is not built or nvcc cannot be told of it, and where the
// machine's owner has chosen another host compiler.
fs::path host_compiler() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path compiler = folder / "ridge-host-compiler";
  const bool is_usable = !error && access(compiler.c_str(), X_OK) == 0 && !loses(compiler) &&
                         compiler.string().find(' ') == std::string::npos;
  return is_usable && !std::getenv("NVCC_CCBIN") ? compiler : fs::path();
}

// One file with all of its device code: nvcc's device linker would find nothing, in four processes.
const char* const kNoDeviceLink = "--no-device-link";
const char* const kDeviceLambdas = "--extended-lambda";  // [=] __device__ (float x) { ... }

// Three quarters of the time for a small file are spent on headers that nvcc includes by itself. Three
// things make them shorter; a file that needs what is missing does not compile so, and is compiled
// again without these options.
// - The special functions in libstdc++'s <cmath> (std::beta, std::riemann_zeta) and the templates that
//   they need: libstdc++ leaves them out when their header counts as included.
// - What the file does not use: host_compiler/main.cpp leaves it out.
// - Without kDeviceLambdas nvcc does not include <functional>. It doubles the time.
std::vector<std::string> shorter_headers() {
  std::vector<std::string> options = {"-D_GLIBCXX_BITS_SPECFUN_H"};
  if (const fs::path compiler = host_compiler(); !compiler.empty())
    options.insert(options.end(), {"-ccbin", compiler.string()});
  return options;
}

// The files as nvcc is to be told of them.
struct Named {
  bool from_folder =
      false;  // from the source's folder, where no such character is between the files
  std::string source, object;
  std::vector<std::string> folders;
  std::string told_otherwise;  // folders for CPATH
};

Named names_for(const fs::path& source, const fs::path& object,
                const std::vector<fs::path>& folders) {
  bool any_lost = loses(source) || loses(object);
  for (const fs::path& folder : folders)
    any_lost |= loses(folder);
  Named named{any_lost, source.string(), object.string(), {}, ""};
  const auto name = [&](const fs::path& path, bool may_lose) {
    if (!any_lost) return path.string();
    const fs::path from_here = path.lexically_relative(source.parent_path());
    if ((loses(from_here) && !may_lose) || is_unwritable(path))
      throw std::runtime_error(fmt::format(
          "nvcc cannot compile in a folder of this name: {}\nMove the clone to a folder without "
          "quotes, backticks, $, \\, commas and line ends in its name.",
          text::one_line(path.string())));
    return from_here.string();
  };
  named.source = name(source, false);
  named.object = name(fs::weakly_canonical(object), false);
  for (const fs::path& folder : folders) {
    if (is_unwritable(folder)) continue;  // a hand-in's own folder: no header is found there
    const std::string shown = name(folder, true);
    if (loses(shown))
      named.told_otherwise += (named.told_otherwise.empty() ? "" : ":") + folder.string();
    else
      named.folders.push_back(shown);
  }
  return named;
}

// Whether nvcc finds all that it needs in this sandbox: a file that we vouch for must compile. Asked when
// another one did not, whose words are not to be believed: what it says there decides whether it is compiled
// without a sandbox.
bool compiles_behind(const std::vector<std::string>& wrapper, const fs::path& folder,
                     const Toolkit& toolkit, const std::vector<std::string>& flags) {
  static std::mutex asking;
  static std::map<std::string, bool> known;
  const std::lock_guard lock(asking);
  if (const auto found = known.find(toolkit.nvcc.string()); found != known.end())
    return found->second;
  const fs::path source = folder / "probe.cu";
  std::ofstream(source) << "__global__ void probe(float* a) { *a = 1; }\n"
                           "extern \"C\" void go(float* a) { probe<<<1, 1>>>(a); }\n";
  std::vector<std::string> command = wrapper;
  command.push_back(toolkit.nvcc.string());
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", (folder / "probe.so").string(), source.string()});
  const bool compiles = run(command, {{"TMPDIR", folder.string()}, {"LC_ALL", "C"}}, Keep::all,
                            compile_limits(nullptr))
                            .status == 0;
  return known[toolkit.nvcc.string()] = compiles;
}

}  // namespace

bool nvcc_loses(const fs::path& file) {
  return loses(file.filename()) || is_unwritable(file);
}

Compiled compile_by_nvcc(const OneFile& file, const Toolkit& toolkit,
                         const std::vector<std::string>& flags) {
  const RunLimits limits = compile_limits(file.stop);
  std::vector<fs::path> readable = {toolkit.folder};
  if (const fs::path compiler = host_compiler(); !compiler.empty()) readable.push_back(compiler);
  const std::vector<std::string> wrapper = sandbox_for(file, readable);
  std::vector<std::string> command = wrapper;
  command.push_back(toolkit.nvcc.string());
  const Named named = names_for(file.source, file.object, file.folders);
  if (named.from_folder)
    command.insert(command.end() - 1, {"/usr/bin/env", "-C", file.source.parent_path().string()});
  command.insert(command.end(), flags.begin(), flags.end());
  for (const std::string& folder : named.folders)
    command.insert(command.end(), {"-I", folder});
  command.insert(command.end(), {kNoDeviceLink, "-o", named.object, named.source});
  std::vector<std::pair<std::string, std::string>> environment = {
      {"TMPDIR", fs::path(named.object).parent_path().string()}, {"LC_ALL", "C"}};
  if (!named.told_otherwise.empty()) environment.emplace_back("CPATH", named.told_otherwise);
  std::vector<std::string> smaller = command;
  command.push_back(kDeviceLambdas);
  for (const std::string& option : shorter_headers())
    smaller.push_back(option);
  Finished finished = run(smaller, environment, Keep::all, limits);
  if (finished.started && finished.status != 0 && !finished.too_long && !finished.too_large &&
      !finished.stopped)
    finished = run(command, environment, Keep::all, limits);
  const auto messages = [&] {
    return messages_in(finished.output, named.source, shown_name(file.shown));
  };
  // Perhaps nvcc lacks something in the sandbox. Never let that be the verdict.
  if (!wrapper.empty() && finished.status != 0 && !finished.too_long && !finished.stopped &&
      messages().find(": error") == std::string::npos && sandbox::mechanisms_to_try().size() > 1 &&
      !compiles_behind(wrapper, file.object.parent_path(), toolkit, flags)) {
    command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(wrapper.size()));
    finished = run(command, environment, Keep::all, limits);
  }
  throw_unless_about_source(finished, file, toolkit.nvcc);
  Compiled compiled;
  compiled.messages = messages();
  compiled.kernels = resources_in(finished.output);
  note_end(compiled, finished, "nvcc");
  return compiled;
}

}  // namespace ridge::build
