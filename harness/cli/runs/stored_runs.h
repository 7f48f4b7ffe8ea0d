// The runs of a clone, for commands that show earlier results.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/report/store/store.h"

namespace ridge::cli {

struct StoredRuns {
  std::optional<report::Store> store;  // none: nothing was ever stored in this clone
  std::vector<report::StoredRun> all;  // including solutions, oldest first
};

// Throws report::StoreError.
StoredRuns stored_runs(const std::filesystem::path& root);

}  // namespace ridge::cli
