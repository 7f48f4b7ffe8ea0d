// Students with tries of a rung that they have not passed: the instructor's list.
#pragma once

#include <map>
#include <vector>

#include "leaderboard/boards/class_text.h"

namespace ridge::leaderboard {

// Its text is {"stuck": [...]}, most tries first.
class StuckStudents final : public ClassText {
 public:
  explicit StuckStudents(int64_t class_id) : class_id_(class_id) {}
  std::string text(Database& database, const People& changed) override;

 private:
  struct Entry {
    int64_t tries = 0, last_ms = 0;
    std::string rung;
    std::string text;  // of the object, without the } and the verdicts
  };
  void read(Database& database, int64_t person_id);

  int64_t class_id_;
  bool made_ = false;
  std::map<int64_t, std::vector<Entry>> entries_;  // by person
};

}  // namespace ridge::leaderboard
