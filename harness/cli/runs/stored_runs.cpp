#include "harness/cli/runs/stored_runs.h"

namespace ridge::cli {

StoredRuns stored_runs(const std::filesystem::path& root) {
  StoredRuns runs{report::Store::open_to_read(root), {}};
  if (runs.store) runs.all = runs.store->runs({.solutions = true});
  return runs;
}

}  // namespace ridge::cli
