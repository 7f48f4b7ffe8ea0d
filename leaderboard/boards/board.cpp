// Ranks by rungs passed, then gold, then the sum of figures, then time.
#include "leaderboard/boards/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "leaderboard/access/secrets.h"
#include "leaderboard/classes/json_text.h"
#include "leaderboard/classes/local_time.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

constexpr size_t kMostSparkPoints = 24;

// The state of one student on one board.
struct Standing {
  int64_t person_id = 0;
  std::map<std::string, GradedSubmission> best;
  std::vector<double>
      spark;  // rungs passed after each submission, and the percentage of the best figure
  int passed = 0, gold = 0;
  double figures = 0;
  std::map<std::string, double> times;  // by rung: how many times as fast as its second baseline
  int64_t improved_ms = 0;              // when the row reached its current state

  auto merit() const { return std::tuple(-passed, -gold, -figures, improved_ms, person_id); }
};

// True if `candidate` replaces `present` as the best submission of a rung: a better verdict first,
// then a higher figure. Of equal ones the earlier stays.
bool better(const GradedSubmission& candidate, const GradedSubmission& present) {
  const auto merit = [](const GradedSubmission& one) {
    return std::tuple(share_of(one.verdict), one.verdict == "GOLD", one.figure.value_or(-1));
  };
  return merit(candidate) > merit(present);
}

void add(Standing& row, const GradedSubmission& submission) {
  row.person_id = submission.person_id;
  const auto [present, fresh] = row.best.try_emplace(submission.rung, submission);
  if (!fresh && better(submission, present->second)) {
    present->second = submission;
    row.improved_ms = submission.received_ms;
  } else if (fresh) {
    row.improved_ms = submission.received_ms;
  }
  double progress = 0;
  for (const auto& [rung, best] : row.best)
    progress +=
        share_of(best.verdict) + (is_pass(best.verdict) ? best.figure.value_or(0) / 1000 : 0);
  row.spark.push_back(progress);
}

void finish(Standing& row) {
  for (const auto& [rung, best] : row.best) {
    row.passed += is_pass(best.verdict);
    row.gold += best.verdict == "GOLD";
    if (is_pass(best.verdict)) row.figures += best.figure.value_or(0);
  }
  if (row.spark.size() > kMostSparkPoints)
    row.spark.erase(row.spark.begin(),
                    row.spark.end() - static_cast<std::ptrdiff_t>(kMostSparkPoints));
}

json row_json(const Standing& row, const Assignment& assignment, const Person& person,
              const BoardView& view) {
  json cells = json::array();
  for (const RungWeight& rung : assignment.rungs) {
    const auto found = row.best.find(rung.rung);
    if (found == row.best.end()) {
      cells.push_back(nullptr);
      continue;
    }
    json cell = {{"verdict", found->second.verdict}, {"passed", is_pass(found->second.verdict)}};
    cell["figure"] = found->second.figure ? json(*found->second.figure) : json(nullptr);
    if (const auto times = row.times.find(rung.rung); times != row.times.end())
      cell["times"] = times->second;
    if (view.for_instructor) cell["submission"] = found->second.id;
    cells.push_back(std::move(cell));
  }
  json result = {{"key", board_key(view.salt, row.person_id)},
                 {"name", person.shown_name()},
                 {"cells", std::move(cells)},
                 {"passed", row.passed},
                 {"gold", row.gold},
                 {"at_ms", row.improved_ms},
                 {"spark", row.spark}};
  if (view.for_instructor) result["student"] = {{"id", person.id}, {"name", person.name}};
  return result;
}

// How many times as fast as its rung's second baseline a submission was; no value without one.
std::optional<double> times_of_second(Database& database, int64_t submission) {
  for (const Row& row :
       database.run("SELECT result FROM grades WHERE submission_id = ? AND in_force IN (1, 2)",
                    {submission})) {
    const json result = json::parse(row.text(0), nullptr, false);
    if (!result.is_object()) continue;
    const double times = result.value(json::json_pointer("/measured/second/times"), 0.0);
    if (times > 0) return times;
  }
  return std::nullopt;
}

void add_times(Standing& row, Database& database, const course::Course& course) {
  for (const course::Lab& lab : course.labs)
    for (const course::Rung& rung : lab.rungs) {
      const auto best = row.best.find(rung.path());
      if (rung.second.name.empty() || best == row.best.end() || best->second.engine != "gpu")
        continue;
      if (const auto times = times_of_second(database, best->second.id))
        row.times[rung.path()] = *times;
    }
}

}  // namespace

std::string board_key(const std::string& salt, int64_t person_id) {
  return hash_of_secret(salt + std::to_string(person_id)).substr(0, 16);
}

std::string title_of_rung(const course::Course& course, const std::string& path) {
  for (const course::Lab& lab : course.labs)
    for (const course::Rung& known : lab.rungs)
      if (known.path() == path) return known.title;
  return path;
}

Board::Board(int64_t assignment_id, const course::Course& course, BoardView view)
    : assignment_id_(assignment_id), course_(course), view_(std::move(view)) {}

// Those of one person, or of all students with person_id 0.
void Board::make_rows(Database& database, const Assignment& assignment, int64_t person_id) {
  std::map<Place, std::map<int64_t, Standing>> standings;
  for (const GradedSubmission& submission :
       graded_submissions(database, assignment.id, Grades::on_boards, person_id)) {
    const bool hidden = assignment.frozen_ms && !view_.for_instructor &&
                        (submission.received_ms > *assignment.frozen_ms ||
                         submission.accepted_ms > *assignment.frozen_ms);
    if (!hidden)
      add(standings[{submission.engine, submission.device}][submission.person_id], submission);
  }
  std::map<int64_t, Person> people;
  if (person_id == 0) {
    for (Person& person : students_of(database, assignment.class_id))
      people[person.id] = std::move(person);
  } else if (auto person = find_person(database, person_id);
             person && person->role == "student" && person->class_id == assignment.class_id) {
    people[person_id] = std::move(*person);
  }
  for (auto& [place, by_person] : standings)
    for (auto& [id, standing] : by_person) {
      const auto person = people.find(id);
      if (person == people.end()) continue;
      finish(standing);
      add_times(standing, database, course_);
      // Without the brace before the first key: the rank comes there.
      std::string text = dumped(row_json(standing, assignment, person->second, view_)).substr(1);
      rows_[place][id] = {standing.merit(), std::move(text)};
    }
}

std::string Board::header(Database& database, const ClassRecord& owner,
                          const Assignment& assignment) const {
  json result = {
      {"class", {{"name", owner.name}, {"title", owner.title}}},
      {"assignment",
       {{"name", assignment.name},
        {"title", assignment.title},
        {"engine", assignment.engine},
        {"due_ms", assignment.due_ms},
        {"due", local_text(assignment.due_ms, owner.time_zone)},
        {"frozen_ms", assignment.frozen_ms ? json(*assignment.frozen_ms) : json(nullptr)},
        {"rungs", json::array()}}},
      {"students", count_students(database, owner.id)},
      {"unsafe", view_.unsafe_note}};
  for (const RungWeight& rung : assignment.rungs) {
    result["assignment"]["rungs"].push_back({{"path", rung.rung},
                                             {"title", title_of_rung(course_, rung.rung)},
                                             {"weight", rung.weight}});
  }
  return dumped(result);
}

std::string Board::text(Database& database, const People& changed) {
  const std::optional<Assignment> assignment = find_assignment(database, assignment_id_);
  if (!assignment) throw std::runtime_error("the board's assignment was deleted");
  const std::optional<ClassRecord> owner = find_class(database, assignment->class_id);
  if (!owner) throw std::runtime_error("the board's class was deleted");
  if (!made_ || !changed || assignment->rungs != rungs_ || assignment->frozen_ms != frozen_ms_) {
    rows_.clear();
    make_rows(database, *assignment, 0);
  } else {
    for (const int64_t person : *changed) {
      for (auto& [place, rows] : rows_)
        rows.erase(person);
      make_rows(database, *assignment, person);
    }
    std::erase_if(rows_, [](const auto& board) { return board.second.empty(); });
  }
  made_ = true;
  rungs_ = assignment->rungs;
  frozen_ms_ = assignment->frozen_ms;

  std::string text = header(database, *owner, *assignment);
  text.back() = ',';  // instead of the brace at its end
  text += "\"boards\":[";
  for (const auto& [place, rows] : rows_) {
    const bool gpu = place.first == "gpu";
    std::string board =
        dumped({{"engine", place.first},
                {"device", place.second},
                {"figure",
                 {{"kind", gpu ? "measured" : "counted"},
                  {"label", gpu ? "% of the library's speed, measured"
                                : "% of bytes through L1 that are useful, counted"}}}});
    board.back() = ',';
    if (text.back() == '}') text += ',';
    text += board + "\"rows\":[";
    std::vector<const Row*> ranked;
    for (const auto& [person, row] : rows)
      ranked.push_back(&row);
    std::sort(ranked.begin(), ranked.end(),
              [](const Row* a, const Row* b) { return a->merit < b->merit; });
    for (size_t i = 0; i < ranked.size(); ++i)
      text += fmt::format("{}{{\"rank\":{},{}", i == 0 ? "" : ",", i + 1, ranked[i]->text);
    text += "]}";
  }
  return text + "]}";
}

}  // namespace ridge::leaderboard
