// The store as the commands use it: when it cannot be opened or written, they warn once and go on. A grade is
// shown even on a full disk. Where nothing may be written, what was kept can still be read.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "harness/report/store/store.h"

namespace ridge::cli {

class Records {
 public:
  // `tell` takes the warning; empty: standard error does.
  explicit Records(const std::filesystem::path& root, std::function<void(const std::string&)> tell = {});
  // False when there is no store, or the action could not be carried out.
  bool with(const std::function<void(report::Store&)>& action);

 private:
  void look_only(const std::filesystem::path& root, const std::string& why);
  void warn(const std::string& why);
  std::optional<report::Store> store_;
  std::function<void(const std::string&)> tell_;
  bool warned_ = false;
};

}  // namespace ridge::cli
