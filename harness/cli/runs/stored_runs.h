// The runs of a clone, for the commands that look back.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/report/store/store.h"

namespace ridge::cli {

struct StoredRuns {
  std::optional<report::Store> store;  // none: nothing was ever kept in this clone
  std::vector<report::StoredRun> all;  // of the solutions too, the oldest first
};

// Throws report::StoreError.
StoredRuns stored_runs(const std::filesystem::path& root);

}  // namespace ridge::cli
