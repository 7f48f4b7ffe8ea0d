#include "harness/build/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "harness/build/shared_folder.h"

namespace ridge::build {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// About 10 to 100 KB each; `ridge check` compiles 1300 files.
constexpr size_t kMostObjects = 2000;

[[noreturn]] void cannot_write(const fs::path& path, int error) {
  throw std::runtime_error(fmt::format(
      "cannot write {}: {}; {}", path.string(), std::strerror(error),
      error == ENOSPC || error == EDQUOT
          ? "make room on that disk and try again"
          : "compiled kernels are kept there: make it writable, or set XDG_CACHE_HOME to a folder that is"));
}

// Held while an entry is added. Without a lock (some network file systems have none) two equal
// entries may replace each other.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

json to_json(const Compiled& compiled) {
  json kernels = json::array();
  for (const KernelResources& kernel : compiled.kernels) {
    kernels.push_back({{"kernel", kernel.kernel},
                       {"registers", kernel.registers},
                       {"shared_bytes", kernel.shared_bytes},
                       {"spill_store_bytes", kernel.spill_store_bytes},
                       {"spill_load_bytes", kernel.spill_load_bytes},
                       {"stack_bytes", kernel.stack_bytes}});
  }
  return {{"messages", compiled.messages}, {"kernels", kernels}};
}

Compiled from_json(const json& text) {
  Compiled compiled;
  compiled.ok = true;
  compiled.from_cache = true;
  compiled.messages = text.at("messages");
  for (const json& kernel : text.at("kernels")) {
    compiled.kernels.push_back({kernel.at("kernel"), kernel.at("registers"),
                                kernel.at("shared_bytes"), kernel.at("spill_store_bytes"),
                                kernel.at("spill_load_bytes"), kernel.at("stack_bytes")});
  }
  return compiled;
}

}  // namespace

Cache::Cache(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  make_folders(folder_, error);
  if (error) cannot_write(folder_, error.value());
}

std::optional<Compiled> Cache::find(const std::string& key) const {
  const fs::path object = folder_ / (key + ".so");
  std::error_code error;
  if (!fs::exists(object, error)) return std::nullopt;
  // A damaged or incomplete entry is compiled again.
  try {
    std::ifstream file(folder_ / (key + ".json"));
    Compiled compiled = from_json(json::parse(file));
    // Recently used entries are removed last.
    fs::last_write_time(object, fs::file_time_type::clock::now(), error);
    compiled.object = object;
    return compiled;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Compiled Cache::insert(const std::string& key, const fs::path& object, Compiled compiled) const {
  // Write the description first: an object in the cache then always has its description.
  const fs::path description = object.parent_path() / "description.json";
  std::ofstream file(description);
  file << to_json(compiled).dump(1, ' ', false, json::error_handler_t::replace) << '\n';
  file.close();
  if (!file) cannot_write(description, errno);
  std::error_code error;
  // Another process or thread may have compiled the same file meanwhile. Its object stays: a sandbox
  // may already have been told of that file, and would not let a new one of the same name be read.
  const FolderLock lock(folder_);
  if (std::optional<Compiled> there = find(key)) {
    there->messages = compiled.messages;
    return *there;
  }
  fs::rename(description, folder_ / (key + ".json"), error);
  if (!error) fs::rename(object, folder_ / (key + ".so"), error);
  if (error) cannot_write(folder_ / (key + ".so"), error.value());
  compiled.object = folder_ / (key + ".so");
  drop_oldest();
  return compiled;
}

void Cache::drop_oldest() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> objects;
  std::error_code error;  // another process may be removing entries at the same time
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const fs::path& path = entry.path();
    const fs::file_time_type written = entry.last_write_time(error);
    if (error) continue;
    if (path.extension() == ".so") objects.emplace_back(written, path);
  }
  if (objects.size() <= kMostObjects) return;
  std::sort(objects.begin(), objects.end());
  for (size_t i = 0; i + kMostObjects * 3 / 4 < objects.size(); ++i) {
    fs::remove(objects[i].second, error);
    fs::remove(objects[i].second.replace_extension(".json"), error);
  }
}

ScratchFolder Cache::scratch() const try {
  return ScratchFolder(folder_, "scratch");
} catch (const std::system_error& error) {
  cannot_write(folder_, error.code().value());
}

}  // namespace ridge::build
