// A disk cache of compiled objects. Safe for several processes: an entry appears completely or not
// at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/build/compile.h"
#include "harness/build/scratch_folder.h"

namespace ridge::build {

class Cache {
 public:
  // Throws std::runtime_error when the folder cannot be created.
  explicit Cache(std::filesystem::path folder);

  std::optional<Compiled> find(const std::string& key) const;
  // Moves `object` into the cache, unless an equal one is there by now; the result's `object` is its
  // path there.
  Compiled insert(const std::string& key, const std::filesystem::path& object, Compiled compiled) const;
  // A private folder for intermediate files, on the cache's file system.
  ScratchFolder scratch() const;

 private:
  void drop_oldest() const;
  std::filesystem::path folder_;
};

}  // namespace ridge::build
