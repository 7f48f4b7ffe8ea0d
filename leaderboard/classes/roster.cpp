// Checks a roster line by line, and imports it into the database.
#include "leaderboard/classes/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "leaderboard/access/tokens.h"

namespace ridge::leaderboard {

namespace {

constexpr size_t kMostCellBytes = 200;
constexpr int64_t kInvitationLivesMs = 120 * kDayMs;

std::string trimmed(std::string text) {
  const auto space = [](unsigned char letter) { return std::isspace(letter) != 0; };
  while (!text.empty() && space(text.back()))
    text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), space));
  return text;
}

std::string lower(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

bool looks_like_email(const std::string& text) {
  const size_t at = text.find('@');
  return at != text.npos && at > 0 && text.find('.', at) != text.npos && text.back() != '.' &&
         text.find_first_of(" \t\"<>,;") == text.npos && text.find('@', at + 1) == text.npos;
}

// "" or what is wrong.
std::string complaint_about(const RosterEntry& entry, std::map<std::string, int>& seen) {
  if (entry.name.empty()) return "the name is empty";
  if (!looks_like_email(entry.email))
    return fmt::format("\"{}\" is not an e-mail address", entry.email);
  for (const std::string* cell :
       {&entry.name, &entry.email, &entry.student_number, &entry.section}) {
    if (cell->size() > kMostCellBytes)
      return fmt::format("a cell has {} bytes; at most {} are allowed", cell->size(),
                         kMostCellBytes);
    if (std::any_of(cell->begin(), cell->end(),
                    [](unsigned char letter) { return letter < 32 || letter == 127; }))
      return "a cell holds a control character";
  }
  const auto [first, fresh] = seen.try_emplace(entry.email, entry.line);
  if (!fresh) return fmt::format("{} is on line {} already", entry.email, first->second);
  return "";
}

}  // namespace

Roster read_roster(const std::string& csv) {
  Roster roster;
  Csv read = read_csv(csv);
  roster.errors = read.errors;
  if (read.records.empty()) {
    roster.errors.push_back(
        {1, "the file is empty; its first line must name the columns: name,email,id,section"});
    return roster;
  }
  const std::vector<std::string> names = {"name", "email", "id", "section"};
  std::map<std::string, size_t> columns;
  const CsvRecord& header = read.records.front();
  for (size_t i = 0; i < header.cells.size(); ++i) {
    const std::string name = lower(trimmed(header.cells[i]));
    if (std::find(names.begin(), names.end(), name) == names.end())
      roster.errors.push_back(
          {header.line,
           fmt::format("\"{}\" is not a column; the columns are name, email, id, section",
                       header.cells[i])});
    columns[name] = i;
  }
  for (const char* needed : {"name", "email"})
    if (!columns.contains(needed))
      roster.errors.push_back({header.line, fmt::format("the column \"{}\" is missing", needed)});
  if (!roster.errors.empty()) return roster;
  std::map<std::string, int> seen;
  for (size_t i = 1; i < read.records.size(); ++i) {
    const CsvRecord& record = read.records[i];
    if (record.cells.size() != header.cells.size()) {
      roster.errors.push_back({record.line, fmt::format("{} cells, and the first line has {}",
                                                        record.cells.size(), header.cells.size())});
      continue;
    }
    const auto cell = [&](const char* name) {
      const auto found = columns.find(name);
      return found == columns.end() ? std::string() : trimmed(record.cells[found->second]);
    };
    RosterEntry entry{record.line, cell("name"), lower(cell("email")), cell("id"), cell("section")};
    if (const std::string complaint = complaint_about(entry, seen); !complaint.empty())
      roster.errors.push_back({record.line, complaint});
    else
      roster.entries.push_back(std::move(entry));
  }
  std::stable_sort(roster.errors.begin(), roster.errors.end(),
                   [](const CsvError& a, const CsvError& b) { return a.line < b.line; });
  return roster;
}

std::vector<ImportedStudent> import_roster(Database& database, int64_t class_id,
                                           const Roster& roster, int64_t now_ms) {
  std::vector<ImportedStudent> imported;
  for (const RosterEntry& entry : roster.entries) {
    ImportedStudent student{0, entry, false, ""};
    const Rows there = database.run(
        "SELECT id, joined_ms, role FROM people WHERE class_id = ? AND email = ? AND deleted_ms IS NULL",
        {class_id, entry.email});
    bool joined = false;
    if (there.empty()) {
      student.added = true;
      student.person_id =
          database
              .run(
                  "INSERT INTO people (class_id, role, name, email, student_number, section, "
                  "created_ms) VALUES (?, 'student', ?, ?, ?, ?, ?) RETURNING id",
                  {class_id, entry.name, entry.email, entry.student_number, entry.section,
                   now_ms})[0]
              .number(0);
    } else {
      student.person_id = there[0].number(0);
      joined = !there[0].is_null(1) || there[0].text(2) == "instructor";
      database.run("UPDATE people SET name = ?, student_number = ?, section = ? WHERE id = ?",
                   {entry.name, entry.student_number, entry.section, student.person_id});
    }
    if (!joined)
      student.join_code =
          issue_token(
              database,
              {TokenKind::join, class_id, student.person_id, {}, now_ms, kInvitationLivesMs, 1})
              .secret;
    imported.push_back(std::move(student));
  }
  return imported;
}

}  // namespace ridge::leaderboard
