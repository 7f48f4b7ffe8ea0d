// Compiled objects on disk, by key. Safe for several processes: an entry appears whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/build/compile.h"
#include "harness/build/scratch_folder.h"

namespace ridge::build {

class Cache {
 public:
  // Throws std::runtime_error when the folder cannot be made.
  explicit Cache(std::filesystem::path folder);

  std::optional<Compiled> find(const std::string& key) const;
  // Moves `object` in; the result's `object` is its place in the cache.
  Compiled insert(const std::string& key, const std::filesystem::path& object, Compiled compiled) const;
  // A folder of our own for files in between, on the cache's file system.
  ScratchFolder scratch() const;

 private:
  void drop_oldest() const;
  std::filesystem::path folder_;
};

}  // namespace ridge::build
