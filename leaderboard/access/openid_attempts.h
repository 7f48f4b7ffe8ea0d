// Sign-ins in progress through the OpenID provider. They are lost when the server restarts.
#pragma once

#include <map>
#include <optional>

#include "leaderboard/access/openid.h"

namespace ridge::leaderboard {

class OpenIdAttempts {
 public:
  void add(const OpenIdAttempt& attempt, int64_t now_ms) {
    std::erase_if(all_, [&](const auto& entry) { return entry.second.expires_ms <= now_ms; });
    if (all_.size() >= kMost) all_.clear();  // flooded: sign-ins in progress must restart
    all_[attempt.state] = attempt;
  }
  // Each can be used once.
  std::optional<OpenIdAttempt> take(const std::string& state, int64_t now_ms) {
    auto found = all_.extract(state);
    if (found.empty() || found.mapped().expires_ms <= now_ms) return std::nullopt;
    return found.mapped();
  }

 private:
  static constexpr size_t kMost = 10'000;
  std::map<std::string, OpenIdAttempt> all_;
};

}  // namespace ridge::leaderboard
