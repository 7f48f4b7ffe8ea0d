// Reads the tries of the people who changed, and sorts those of all.
#include "leaderboard/boards/stuck.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "leaderboard/classes/json_text.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

constexpr size_t kMostShown = 60, kLeastTries = 2;

json newest_verdicts(Database& database, int64_t person_id, const std::string& rung) {
  json verdicts = json::array();
  for (const Row& grade : database.run(
           "SELECT g.verdict FROM submissions s JOIN grades g ON g.submission_id = s.id AND "
           "g.in_force = 1 WHERE s.person_id = ? AND s.rung = ? ORDER BY s.id DESC LIMIT 12",
           {person_id, rung}))
    verdicts.insert(verdicts.begin(), grade.text(0));
  return verdicts;
}

}  // namespace

// Reads the data of one person, or those of all with person_id 0.
void StuckStudents::read(Database& database, int64_t person_id) {
  Values values = {class_id_};
  if (person_id) values.push_back(person_id);
  values.push_back(int64_t{kLeastTries});
  for (const Row& row : database.run(
           std::string("SELECT p.id, p.name, t.rung, a.name, t.tries, t.first_ms, t.last_ms, "
                       "t.newest, h.shown FROM (SELECT s.person_id, s.rung, s.assignment_id, "
                       "count(*) AS tries, min(s.received_ms) AS first_ms, max(s.received_ms) AS "
                       "last_ms, max(s.id) AS newest FROM submissions s JOIN grades g ON "
                       "g.submission_id = s.id AND g.in_force = 1 WHERE s.class_id = ? ") +
               (person_id ? "AND s.person_id = ? " : "") +
               "GROUP BY s.person_id, s.rung, s.assignment_id HAVING count(*) >= ? AND count(*) "
               "FILTER (WHERE g.verdict IN ('PASS', 'GOLD') AND s.invalid_reason IS NULL) = 0) t "
               "JOIN people p ON p.id = t.person_id AND p.deleted_ms IS NULL JOIN assignments a "
               "ON a.id = t.assignment_id LEFT JOIN hints h ON h.person_id = t.person_id AND "
               "h.rung = t.rung",
           values)) {
    std::string text = dumped({{"student", {{"id", row.number(0)}, {"name", row.text(1)}}},
                               {"rung", row.text(2)},
                               {"assignment", row.text(3)},
                               {"tries", row.number(4)},
                               {"first_ms", row.number(5)},
                               {"last_ms", row.number(6)},
                               {"submission", row.number(7)},
                               {"hints", row.is_null(8) ? json(nullptr) : json(row.number(8))}});
    text.pop_back();
    entries_[row.number(0)].push_back({row.number(4), row.number(6), row.text(2), std::move(text)});
  }
}

std::string StuckStudents::text(Database& database, const People& changed) {
  if (!made_ || !changed) {
    entries_.clear();
    read(database, 0);
  } else {
    for (const int64_t person : *changed) {
      entries_.erase(person);
      read(database, person);
    }
  }
  made_ = true;
  std::vector<std::pair<int64_t, const Entry*>> sorted;
  for (const auto& [person, own] : entries_)
    for (const Entry& entry : own)
      sorted.emplace_back(person, &entry);
  const size_t shown = std::min(kMostShown, sorted.size());
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(shown),
                    sorted.end(), [](const auto& a, const auto& b) {
                      return std::tie(b.second->tries, b.second->last_ms, a.first, a.second->rung) <
                             std::tie(a.second->tries, a.second->last_ms, b.first, b.second->rung);
                    });
  std::string text = "{\"stuck\":[";
  for (size_t i = 0; i < shown; ++i) {
    const auto& [person, entry] = sorted[i];
    if (i > 0) text += ',';
    text += entry->text +
            ",\"verdicts\":" + dumped(newest_verdicts(database, person, entry->rung)) + "}";
  }
  return text + "]}";
}

}  // namespace ridge::leaderboard
