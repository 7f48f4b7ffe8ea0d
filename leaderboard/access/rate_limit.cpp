// Token buckets. Full ones are removed, so that addresses do not accumulate.
#include "leaderboard/access/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace ridge::leaderboard {

namespace {
constexpr size_t kMostBuckets = 10'000;
}

int RateLimit::take(const std::string& key, int64_t now_ms) {
  if (buckets_.size() >= kMostBuckets) forget_full(now_ms);
  auto [found, fresh] = buckets_.try_emplace(key, Bucket{burst_, now_ms});
  Bucket& bucket = found->second;
  const double minutes =
      static_cast<double>(std::max<int64_t>(0, now_ms - bucket.at_ms)) / 60'000.0;
  bucket.left = std::min(burst_, bucket.left + minutes * per_minute_);
  bucket.at_ms = now_ms;
  if (bucket.left >= 1) {
    bucket.left -= 1;
    return 0;
  }
  return std::max(1, static_cast<int>(std::ceil((1 - bucket.left) / per_minute_ * 60)));
}

void RateLimit::give_back(const std::string& key) {
  if (const auto found = buckets_.find(key); found != buckets_.end())
    found->second.left = std::min(burst_, found->second.left + 1);
}

void RateLimit::forget_full(int64_t now_ms) {
  std::erase_if(buckets_, [&](const auto& entry) {
    const double minutes = static_cast<double>(now_ms - entry.second.at_ms) / 60'000.0;
    return entry.second.left + minutes * per_minute_ >= burst_;
  });
  if (buckets_.size() >= kMostBuckets) buckets_.clear();
}

}  // namespace ridge::leaderboard
