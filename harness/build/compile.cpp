#include "harness/build/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "harness/build/cache.h"
#include "harness/build/nvcc_output.h"
#include "harness/build/process.h"
#include "harness/build/sha256.h"
#include "harness/build/toolkit.h"
#include "harness/sandbox/bubblewrap.h"
#include "text/whole_file.h"

namespace ridge::build {
namespace {

namespace fs = std::filesystem;

// Nvcc's message when one of its stages was killed.
const char* const kPartKilled = "died due to signal 9";
// The intermediate files of the smallest source need this much.
constexpr uintmax_t kLeastRoomBytes = 256 * 1024;
// Saves are seconds apart; nvcc reads a file in tenths of a second.
constexpr int kMostAttempts = 5;

std::vector<fs::path> headers_in(const fs::path& folder) {
  std::vector<fs::path> headers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cuh" || extension == ".hpp") headers.push_back(entry.path());
  }
  std::sort(headers.begin(), headers.end());
  return headers;
}

struct File {
  fs::path path;
  std::string text;
  bool operator==(const File&) const = default;
};

// The files that nvcc will read: the source, then the headers of every folder.
std::vector<File> inputs_of(const fs::path& source, const std::vector<fs::path>& folders) {
  std::vector<File> inputs = {{source, text::read_file(source)}};
  for (const fs::path& folder : folders) {
    for (const fs::path& header : headers_in(folder))
      inputs.push_back({header, text::read_file(header)});
  }
  return inputs;
}

// The hash of everything that the object depends on, including the path, because line information
// names the file.
std::string key_of(const std::vector<File>& inputs, const std::vector<std::string>& flags,
                   const Toolkit& toolkit) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n", toolkit.nvcc.string(), toolkit.build,
                                fmt::join(flags, "\n"), inputs.front().path.string());
  for (const File& file : inputs)
    all += fmt::format("{}\n{}\n{}", file.path.string(), file.text.size(), file.text);
  return sha256(all);
}

// Folder names are left out, since they differ between clones; a header in two of the folders
// counts once.
std::string headers_hash(const std::vector<File>& inputs) {
  std::set<std::string> headers;
  for (size_t i = 1; i < inputs.size(); ++i)
    headers.insert(inputs[i].path.filename().string() + "\n" + sha256(inputs[i].text) + "\n");
  return sha256(fmt::format("{}", fmt::join(headers, "")));
}

// The name in messages: relative to the current folder when the file is under it, so that it can be
// clicked or pasted.
std::string shown_name(const fs::path& source) {
  std::error_code error;
  const fs::path relative = fs::relative(source, fs::current_path(error), error);
  const bool under = !error && !relative.empty() && *relative.begin() != "..";
  return under ? relative.string() : source.string();
}

// nvcc does not always report that the disk is full.
bool no_room_in(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < kLeastRoomBytes;
}

// Limits for untrusted source files: endless templates, or an #include of a huge file.
constexpr RunLimits kLimits{
    .seconds = 60, .file_bytes = 512 << 20, .memory_bytes = int64_t{24} << 30, .output_bytes = 4 << 20};

// The bubblewrap command line. The sandbox contains only the system, the toolkit, the lab's folder,
// the source with the headers in its folder (its other files may belong to other people), and the
// folder of the object. Empty when the compiler is not sandboxed.
std::vector<std::string> wrapper_for(const fs::path& source, const fs::path& object, const Toolkit& toolkit,
                                     const std::vector<fs::path>& folders) {
  using namespace sandbox;
  if (!compiler_is_sandboxed()) return {};
  Policy policy;
  policy.readable = {toolkit.folder};
  policy.readable.insert(policy.readable.end(), folders.begin() + 1, folders.end());
  if (std::find(folders.begin() + 1, folders.end(), folders.front()) == folders.end()) {
    policy.readable.push_back(source);
    for (const fs::path& header : headers_in(folders.front()))
      policy.readable.push_back(header);
  }
  policy.writable = {object.parent_path()};
  return bubblewrap_command(*find_bubblewrap(), policy, Users::own_namespace);
}

// Characters that nvcc loses: it passes its options to a shell, and list options to a splitter.
bool loses(const fs::path& path) {
  return path.string().find_first_of("'\"$`\\,") != std::string::npos;
}

// nvcc writes complete names into the line table, and these two characters end a name there.
bool is_unwritable(const fs::path& path) {
  return path.string().find_first_of("\"`") != std::string::npos;
}

// The names under which nvcc gets the files.
struct Named {
  bool from_folder = false;  // files of the source's folder are found without naming it
  std::string source, object;
  std::vector<std::string> folders;
  std::string told_otherwise;  // folders passed in CPATH
};

Named names_for(const fs::path& source, const fs::path& object, const std::vector<fs::path>& folders) {
  bool any_lost = loses(source) || loses(object);
  for (const fs::path& folder : folders)
    any_lost |= loses(folder);
  Named named{any_lost, source.string(), object.string(), {}, ""};
  const auto name = [&](const fs::path& path, bool may_lose) {
    if (!any_lost) return path.string();
    const fs::path from_here = path.lexically_relative(source.parent_path());
    if ((loses(from_here) && !may_lose) || is_unwritable(path))
      throw std::runtime_error(
          fmt::format("nvcc cannot compile in a folder of this name: {}\nMove the clone to a folder without "
                      "quotes, backticks, $, \\ and commas in its name.",
                      path.string()));
    return from_here.string();
  };
  named.source = name(source, false);
  named.object = name(fs::weakly_canonical(object), false);
  for (const fs::path& folder : folders) {
    // Only a submission's own folder: no header is found there.
    if (is_unwritable(folder)) continue;
    const std::string shown = name(folder, true);
    if (loses(shown))
      named.told_otherwise += (named.told_otherwise.empty() ? "" : ":") + folder.string();
    else
      named.folders.push_back(shown);
  }
  return named;
}

// Tells whether nvcc works in this sandbox: compiles a file that we trust. Called when another file
// failed, because the messages of an untrusted file must not decide whether it is compiled without
// a sandbox.
bool compiles_behind(const std::vector<std::string>& wrapper, const fs::path& folder, const Toolkit& toolkit,
                     const std::vector<std::string>& flags) {
  static std::mutex asking;
  static std::map<std::string, bool> known;
  const std::lock_guard lock(asking);
  if (const auto found = known.find(toolkit.nvcc.string()); found != known.end()) return found->second;
  const fs::path source = folder / "probe.cu";
  std::ofstream(source) << "__global__ void probe(float* a) { *a = 1; }\n"
                           "extern \"C\" void go(float* a) { probe<<<1, 1>>>(a); }\n";
  std::vector<std::string> command = wrapper;
  command.push_back(toolkit.nvcc.string());
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", (folder / "probe.so").string(), source.string()});
  const bool compiles =
      run(command, {{"TMPDIR", folder.string()}, {"LC_ALL", "C"}}, Keep::all, kLimits).status == 0;
  return known[toolkit.nvcc.string()] = compiles;
}

bool over_file_limit(const Finished& finished) {
  // nvcc is a driver: its output reports how its stages ended.
  return finished.too_large || finished.output.find("File size limit exceeded") != std::string::npos ||
         finished.output.find("File too large") != std::string::npos;
}

// `shown`: the file's name in messages.
Compiled run_nvcc(const fs::path& source, const fs::path& shown, const fs::path& object, const Toolkit& toolkit,
                  const std::vector<std::string>& flags, const std::vector<fs::path>& folders,
                  const fs::path& cache_folder, const std::atomic<bool>* stop) {
  RunLimits limits = kLimits;
  limits.stop = stop;
  const std::vector<std::string> wrapper = wrapper_for(source, object, toolkit, folders);
  std::vector<std::string> command = wrapper;
  command.push_back(toolkit.nvcc.string());
  const Named named = names_for(source, object, folders);
  if (named.from_folder)
    command.insert(command.end() - 1, {"/usr/bin/env", "-C", source.parent_path().string()});
  command.insert(command.end(), flags.begin(), flags.end());
  for (const std::string& folder : named.folders)
    command.insert(command.end(), {"-I", folder});
  command.insert(command.end(), {"-o", named.object, named.source});
  std::vector<std::pair<std::string, std::string>> environment = {
      {"TMPDIR", fs::path(named.object).parent_path().string()}, {"LC_ALL", "C"}};
  if (!named.told_otherwise.empty()) environment.emplace_back("CPATH", named.told_otherwise);
  Finished finished = run(command, environment, Keep::all, limits);
  const auto messages = [&] { return messages_in(finished.output, named.source, shown_name(shown)); };
  // nvcc may lack something in the sandbox. That must never become the verdict.
  if (!wrapper.empty() && finished.status != 0 && !finished.too_long && !finished.stopped &&
      messages().find(": error") == std::string::npos && sandbox::mechanisms_to_try().size() > 1 &&
      !compiles_behind(wrapper, object.parent_path(), toolkit, flags)) {
    command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(wrapper.size()));
    finished = run(command, environment, Keep::all, limits);
  }
  if (finished.stopped) throw Interrupted();
  if (!finished.started) {
    throw std::runtime_error(fmt::format("cannot run {}: {}", toolkit.nvcc.string(), finished.output));
  }
  if (finished.status != 0 && (disk_full_in(finished.output) || no_room_in(cache_folder))) {
    throw std::runtime_error(
        fmt::format("the disk that holds {} is full; make room on it and try again", cache_folder.string()));
  }
  // When memory is short, the system kills the largest program; that is no property of the source.
  const bool killed = !finished.too_long && (finished.status == 128 + SIGKILL ||
                                             finished.output.find(kPartKilled) != std::string::npos);
  if (killed) {
    throw std::runtime_error(
        fmt::format("{} was killed while it compiled {}, so nothing was graded; is memory short? "
                    "Grade again",
                    toolkit.nvcc.string(), shown_name(shown)));
  }
  Compiled compiled;
  compiled.messages = messages();
  compiled.kernels = resources_in(finished.output);
  compiled.ok = finished.status == 0 && !finished.too_long;
  if (finished.too_long) {
    compiled.stopped = fmt::format("nvcc had not compiled the file after {:.0f} seconds.", kLimits.seconds);
  } else if (!compiled.ok && over_file_limit(finished)) {
    compiled.stopped =
        fmt::format("nvcc was stopped: it wrote a file of more than {} MB.", kLimits.file_bytes >> 20);
  } else if (finished.status > 128 && finished.status <= 128 + SIGRTMAX) {
    compiled.messages += fmt::format("nvcc was ended by signal {}\n", finished.status - 128);
  }
  return compiled;
}

}  // namespace

bool compiler_is_sandboxed() {
  using namespace sandbox;
  const std::optional<fs::path> bubblewrap = find_bubblewrap();
  if (mechanisms_to_try().front() != Mechanism::bubblewrap || !bubblewrap) return false;
  static const bool works = [&] {
    std::vector<std::string> command = bubblewrap_command(*bubblewrap, {}, Users::own_namespace);
    command.emplace_back("/usr/bin/true");
    return run(command, {}, Keep::all, {.seconds = 5}).status == 0;
  }();
  return works;
}

Compiled compile(const fs::path& source, const fs::path& cache_folder, const std::string& architecture,
                 const std::vector<fs::path>& include_folders, const std::atomic<bool>* stop) {
  const auto start = std::chrono::steady_clock::now();
  const Toolkit toolkit = need_toolkit();
  const fs::path compiled_path = fs::weakly_canonical(source);
  const std::vector<std::string> flags = lab_flags(architecture);
  std::vector<fs::path> folders = {compiled_path.parent_path()};
  for (const fs::path& folder : include_folders)
    folders.push_back(fs::weakly_canonical(folder));
  const Cache cache(cache_folder);

  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    const std::vector<File> inputs = inputs_of(compiled_path, folders);
    const std::string key = key_of(inputs, flags, toolkit);
    std::optional<Compiled> compiled = cache.find(key);
    if (!compiled) {
      const ScratchFolder scratch = cache.scratch();
      const fs::path object = scratch.path() / "kernel.so";
      // nvcc would lose characters of this name: compile the file under another name.
      fs::path compiled_as = compiled_path;
      if (loses(compiled_path.filename()) || is_unwritable(compiled_path)) {
        compiled_as = scratch.path() / ("file" + compiled_path.extension().string());
        std::ofstream(compiled_as, std::ios::binary) << inputs.front().text;
      }
      compiled = run_nvcc(compiled_as, compiled_path, object, toolkit, flags, folders, cache_folder, stop);
      // The file was saved while nvcc was reading: which version it read is unknown.
      if (inputs_of(compiled_path, folders) != inputs) continue;
      if (compiled->ok) compiled = cache.insert(key, object, std::move(*compiled));
    }
    compiled->from = {inputs.front().text, headers_hash(inputs), toolkit.version, flags};
    compiled->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return *compiled;
  }
  throw std::runtime_error(
      fmt::format("{} changed {} times while nvcc was reading it; grade again when it no longer "
                  "changes",
                  shown_name(compiled_path), kMostAttempts));
}

}  // namespace ridge::build
