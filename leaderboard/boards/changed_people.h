// Which people have changed since a version of a text.
#pragma once

#include <deque>
#include <utility>

#include "leaderboard/boards/class_text.h"

namespace ridge::leaderboard {

class ChangedPeople {
 public:
  uint64_t version() const { return version_; }  // rises with every change

  void note(int64_t person_id) {  // 0: everybody may have changed
    ++version_;
    if (person_id == 0) {
      all_since_ = version_;
      changes_.clear();
      return;
    }
    changes_.emplace_back(version_, person_id);
    if (changes_.size() <= kMostKept) return;
    all_since_ = changes_.front().first;
    changes_.pop_front();
  }

  People since(uint64_t version) const {
    if (version < all_since_) return std::nullopt;
    std::set<int64_t> people;
    for (auto at = changes_.rbegin(); at != changes_.rend() && at->first > version; ++at)
      people.insert(at->second);
    return people;
  }

 private:
  static constexpr size_t kMostKept = 1000;
  uint64_t version_ = 0, all_since_ = 0;
  std::deque<std::pair<uint64_t, int64_t>> changes_;  // version, person
};

}  // namespace ridge::leaderboard
