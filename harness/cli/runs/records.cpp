#include "harness/cli/runs/records.h"

#include <fmt/format.h>

#include <cstdio>

namespace ridge::cli {

Records::Records(const std::filesystem::path& root,
                 std::function<void(const std::string&)> on_warning)
    : on_warning_(std::move(on_warning)) {
  try {
    store_ = report::Store::open(root);
  } catch (const report::StoreError& error) {
    using Kind = report::StoreError::Kind;
    if (error.kind == Kind::not_writable || error.kind == Kind::full)
      look_only(root, error.what());
    else
      warn(error.what());
  }
}

// A clone without write permission: its records can be read, and only an attempt to write warns.
void Records::look_only(const std::filesystem::path& root, const std::string& why) {
  try {
    store_ = report::Store::open_to_read(root);
    if (!store_) warn(why);
  } catch (const report::StoreError&) {
    warn(why);
  }
}

bool Records::with(const std::function<void(report::Store&)>& action) {
  if (!store_) return false;
  try {
    action(*store_);
    return true;
  } catch (const report::StoreError& error) {
    warn(error.what());
    return false;
  }
}

void Records::warn(const std::string& why) {
  const std::string warning = fmt::format("warning: progress is not kept: {}", why);
  if (!warned_ && on_warning_) on_warning_(warning);
  if (!warned_ && !on_warning_) fmt::print(stderr, "{}\n", warning);
  warned_ = true;
}

}  // namespace ridge::cli
