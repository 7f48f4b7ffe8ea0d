#include "harness/build/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>

#include "harness/build/cache.h"
#include "harness/build/clang/clang_compile.h"
#include "harness/build/clang/flags.h"
#include "harness/build/compiler.h"
#include "harness/build/nvcc/nvcc_compile.h"
#include "harness/build/one_file.h"
#include "harness/build/sha256.h"
#include "text/whole_file.h"

namespace ridge::build {
namespace {

namespace fs = std::filesystem;

// Saves are seconds apart; a compiler reads a file in tenths of a second.
constexpr int kMostAttempts = 5;

struct File {
  fs::path path;
  std::string text;
  bool operator==(const File&) const = default;
};

// The files that the compiler will read: the source, then the headers of every folder.
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
                   const Compiler& compiler) {
  std::string all = fmt::format("{}\n{}\n{}\n", compiler.build(), fmt::join(flags, "\n"),
                                inputs.front().path.string());
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

// One compilation per key and process at a time: who asks for the same file meanwhile finds it in
// the cache.
class Turn {
 public:
  explicit Turn(const std::string& key) : key_(key) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return !running_.contains(key_); });
    running_.insert(key_);
  }
  ~Turn() {
    {
      const std::lock_guard lock(mutex_);
      running_.erase(key_);
    }
    ended_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline std::condition_variable ended_;
  static inline std::set<std::string> running_;
  std::string key_;
};

Compiled compile_by(const Compiler& compiler, const OneFile& file, const std::string& architecture,
                    const std::vector<std::string>& flags) {
  return compiler.is_clang() ? clang::compile_by_clang(file, *compiler.llvm, architecture)
                             : compile_by_nvcc(file, *compiler.toolkit, flags);
}

}  // namespace

Compiled compile(const fs::path& source, const fs::path& cache_folder,
                 const std::string& architecture, const std::vector<fs::path>& include_folders,
                 const std::atomic<bool>* stop) {
  const auto start = std::chrono::steady_clock::now();
  const Compiler compiler = choose_compiler();
  const fs::path compiled_path = fs::weakly_canonical(source);
  const std::vector<std::string> flags =
      compiler.is_clang() ? clang::recorded_flags(architecture) : lab_flags(architecture);
  std::vector<fs::path> folders = {compiled_path.parent_path()};
  for (const fs::path& folder : include_folders)
    folders.push_back(fs::weakly_canonical(folder));
  const Cache cache(cache_folder);

  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    const std::vector<File> inputs = inputs_of(compiled_path, folders);
    const std::string key = key_of(inputs, flags, compiler);
    std::optional<Compiled> compiled = cache.find(key);
    std::optional<Turn> turn;
    if (!compiled) {
      turn.emplace(key);
      compiled = cache.find(key);
    }
    if (!compiled) {
      const ScratchFolder scratch = cache.scratch();
      const fs::path object = scratch.path() / "kernel.so";
      // nvcc would lose characters of this name: compile the file under another name.
      fs::path compiled_as = compiled_path;
      if (nvcc_loses(compiled_path)) {
        compiled_as = scratch.path() / ("file" + compiled_path.extension().string());
        std::ofstream(compiled_as, std::ios::binary) << inputs.front().text;
      }
      compiled =
          compile_by(compiler, {compiled_as, compiled_path, object, folders, cache_folder, stop},
                     architecture, flags);
      if (!compiled->ok && !compiler.is_clang() && lacks_host_compiler(compiled->messages) &&
          give_up_nvcc(without_host_compiler(compiler)))
        return compile(source, cache_folder, architecture, include_folders, stop);
      // The file was saved while the compiler was reading: which version it read is unknown.
      if (inputs_of(compiled_path, folders) != inputs) continue;
      if (compiled->ok) compiled = cache.insert(key, object, std::move(*compiled));
    }
    compiled->from = {inputs.front().text, headers_hash(inputs), compiler.version(), flags};
    compiled->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return *compiled;
  }
  throw std::runtime_error(
      fmt::format("{} changed {} times while {} was reading it; grade again when it no longer "
                  "changes",
                  shown_name(compiled_path), kMostAttempts, compiler.name()));
}

}  // namespace ridge::build
