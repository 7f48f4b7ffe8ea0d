// Limits the tries of a caller: one token bucket per key, kept in memory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace ridge::leaderboard {

class RateLimit {
 public:
  RateLimit(double burst, double per_minute) : burst_(burst), per_minute_(per_minute) {}
  // Takes a token; returns 0, or the seconds until one is available.
  int take(const std::string& key, int64_t now_ms);
  void give_back(const std::string& key);  // returns a token: the try was not a failure

 private:
  struct Bucket {
    double left = 0;
    int64_t at_ms = 0;
  };
  void forget_full(int64_t now_ms);
  double burst_, per_minute_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace ridge::leaderboard
