#include "leaderboard/api/quiz_results.h"

#include <map>
#include <sstream>

#include "leaderboard/classes/csv.h"
#include "leaderboard/classes/local_time.h"

namespace ridge::leaderboard {

namespace {

struct Result {
  int64_t right = -1, of = 0, at_ms = 0;  // of the best; the first of equal ones
  int sent = 0;
};

}  // namespace

std::string quizzes_csv(Database& database, const ClassRecord& owner) {
  struct Who {
    std::string name, email, number, section;
  };
  std::map<int64_t, Who> people;
  std::map<std::pair<int64_t, std::string>, Result> results;
  for (
      const Row& row : database.run(
          "SELECT p.id, p.name, p.email, p.student_number, p.section, e.detail, e.at_ms FROM events e JOIN people p ON "
          "p.id = e.person_id WHERE e.class_id = ? AND e.kind = 'quiz.answered' ORDER BY e.id",
          {owner.id})) {
    std::istringstream words(row.text(5));  // "02-coalescing 7 of 9"
    std::string quiz, of_word;
    int64_t right = 0, of = 0;
    if (!(words >> quiz >> right >> of_word >> of)) continue;
    people[row.number(0)] = {row.text(1), row.text(2), row.text(3), row.text(4)};
    Result& result = results[{row.number(0), quiz}];
    ++result.sent;
    if (right > result.right) {
      result.right = right;
      result.of = of;
      result.at_ms = row.number(6);
    }
  }
  std::string text = csv_line({"student", "name", "email", "number", "section", "quiz", "right",
                               "questions", "received", "sent"});
  for (const auto& [key, result] : results) {
    const Who& who = people.at(key.first);
    text += csv_line({std::to_string(key.first), who.name, who.email, who.number, who.section,
                      key.second, std::to_string(result.right), std::to_string(result.of),
                      local_text(result.at_ms, owner.time_zone), std::to_string(result.sent)});
  }
  return text;
}

}  // namespace ridge::leaderboard
