// The steps after a change: the commit, the notices to the streams of this server and of all others
// on the database, and the lines of the log.
#include <algorithm>

#include "leaderboard/api/app.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

json announced(const std::string& origin, const std::vector<Change>& changes) {
  json list = json::array();
  for (const Change& change : changes)
    list.push_back({change.class_id, change.submission_id, change.person_id, change.assignment_id,
                    change.board});
  return {{"origin", origin}, {"changes", std::move(list)}};
}

// Shortens a long list of changes to the classes whose boards have changed.
std::vector<Change> by_class(const std::vector<Change>& changes) {
  std::map<int64_t, Change> classes;
  for (const Change& change : changes)
    classes[change.class_id] = {change.class_id, 0, 0, 0, true};
  std::vector<Change> result;
  for (const auto& [id, change] : classes)
    result.push_back(change);
  return result;
}

}  // namespace

void App::begun() {
  if (options_.log)
    newest_event_ = number_from(database_, "SELECT max(id) FROM events", {}).value_or(0);
}

void App::commit(Transaction& transaction, const std::vector<Change>& changes,
                 Durability durability) {
  const std::vector<json> events = new_events();
  announce(changes);
  transaction.commit(durability);
  notify_streams(changes);
  for (const json& event : events)
    options_.log(event);
}

void App::change(const std::function<void(std::vector<Change>&)>& work) {
  std::vector<Change> changes;
  Transaction transaction(database_);
  begun();
  work(changes);
  // Nobody waits for these changes, and what a crash takes back of them is done again.
  commit(transaction, changes, Durability::lasting_after_wait);
}

void App::recover_worker(const std::string& worker) {
  change([&](std::vector<Change>& changes) { recover(database_, worker, now_ms(), changes); });
}

void App::announce(const std::vector<Change>& changes) {
  if (changes.empty()) return;
  std::string text = announced(origin_, changes).dump();
  if (text.size() > kMostAnnouncedBytes) text = announced(origin_, by_class(changes)).dump();
  database_.announce(text);
}

// A change without an assignment concerns all boards of the class.
void App::note_board(const Change& change) {
  changed_[{change.class_id, 0}].note(change.person_id);
  if (change.assignment_id) {
    changed_[{change.class_id, change.assignment_id}].note(change.person_id);
    return;
  }
  for (auto at = changed_.upper_bound({change.class_id, 0});
       at != changed_.end() && at->first.first == change.class_id; ++at)
    at->second.note(change.person_id);
}

void App::notify_streams(const std::vector<Change>& changes) {
  std::map<int64_t, bool> boards;
  for (const Change& change : changes) {
    boards[change.class_id] = boards[change.class_id] || change.board;
    if (change.board) note_board(change);
    if (change.submission_id == 0) continue;
    notices_.push_back(
        {change.class_id, change.person_id, "submission",
         dumped({{"submission", change.submission_id}, {"student", change.person_id}})});
  }
  for (const auto& [class_id, board] : boards)
    if (board) {
      const uint64_t version = changed(class_id).version();
      notices_.push_back({class_id, 0, "board", dumped({{"version", version}})});
    }
}

void App::apply_changes_of_others(const ChangeFeed::Received& received) {
  if (received.missed) {
    std::vector<Change> all;
    for (const Row& row : database_.run("SELECT id FROM classes"))
      all.push_back({row.number(0), 0, 0, 0, true});
    notify_streams(all);
  }
  for (const std::string& text : received.texts) {
    const json message = json::parse(text, nullptr, false);
    if (!message.is_object() || message.value("origin", "") == origin_) continue;
    std::vector<Change> changes;
    for (const json& one : message.value("changes", json::array()))
      changes.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
    notify_streams(changes);
  }
}

std::vector<Notice> App::take_notices() {
  return std::exchange(notices_, {});
}

// The entries that this change has added to the event log: no other change runs at the same time.
// They contain no source code.
std::vector<json> App::new_events() {
  std::vector<json> lines;
  if (!options_.log) return lines;
  for (
      const Row& row : database_.run(
          "SELECT at_ms, kind, actor, detail, class_id, submission_id, person_id FROM events WHERE id > ? ORDER BY id",
          {newest_event_})) {
    json line = {{"at_ms", row.number(0)}, {"event", row.text(1)}, {"actor", row.text(2)}};
    const char* const names[] = {"class", "submission", "person"};
    for (size_t i = 0; i < 3; ++i)
      if (!row.is_null(4 + i)) line[names[i]] = row.number(4 + i);
    if (!row.text(3).empty()) line["detail"] = row.text(3);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace ridge::leaderboard
