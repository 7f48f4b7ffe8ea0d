// The store for the commands: when it cannot be opened or written, they warn once and continue. A
// grade is shown even on a full disk. A read-only store can still be read.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "harness/report/store/store.h"

namespace ridge::cli {

class Records {
 public:
  // `on_warning` receives the warning; by default it goes to standard error.
  explicit Records(const std::filesystem::path& root,
                   std::function<void(const std::string&)> on_warning = {});
  // False when there is no store or the action failed.
  bool with(const std::function<void(report::Store&)>& action);

 private:
  void look_only(const std::filesystem::path& root, const std::string& why);
  void warn(const std::string& why);
  std::optional<report::Store> store_;
  std::function<void(const std::string&)> on_warning_;
  bool warned_ = false;
};

}  // namespace ridge::cli
