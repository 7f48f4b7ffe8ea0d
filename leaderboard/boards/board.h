// The live board of an assignment: ranks per engine and per device, in separate tables.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/course/lab.h"
#include "leaderboard/boards/class_text.h"
#include "leaderboard/classes/gradebook.h"

namespace ridge::leaderboard {

struct BoardView {
  bool for_instructor = false;  // with names, and without a freeze
  std::string salt;             // for keys of rows that do not reveal their owners
  std::string unsafe_note;      // see AppOptions
};

// Its text is a JSON object.
class Board final : public ClassText {
 public:
  // `course` must outlive it.
  Board(int64_t assignment_id, const course::Course& course, BoardView view);
  std::string text(Database& database, const People& changed) override;

 private:
  struct Row {
    std::tuple<int, int, double, int64_t, int64_t> merit;  // ascending: the best first
    std::string text;  // the row's JSON object, without the opening brace and the rank
  };
  using Place = std::pair<std::string, std::string>;  // engine, device
  void make_rows(Database& database, const Assignment& assignment, int64_t person_id);
  std::string header(Database& database, const ClassRecord& owner,
                     const Assignment& assignment) const;

  int64_t assignment_id_;
  const course::Course& course_;
  BoardView view_;
  bool made_ = false;
  // What the rows were made with.
  std::vector<RungWeight> rungs_;
  std::optional<int64_t> frozen_ms_;
  std::map<Place, std::map<int64_t, Row>> rows_;  // by person
};

// The rung's title in the course; its path when the course no longer has the rung.
std::string title_of_rung(const course::Course& course, const std::string& path);

// The key of a person's row.
std::string board_key(const std::string& salt, int64_t person_id);

}  // namespace ridge::leaderboard
