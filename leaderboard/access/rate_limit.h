// How often the same caller may try: a bucket of tokens per key, kept in memory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace ridge::leaderboard {

class RateLimit {
 public:
  RateLimit(double burst, double per_minute) : burst_(burst), per_minute_(per_minute) {}
  // Takes one; 0 when there was one, else the seconds until there is.
  int take(const std::string& key, int64_t now_ms);
  void give_back(const std::string& key);  // one that was taken: the try was no failure

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
