#include "harness/cli/course_checks/mutants/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "harness/build/sha256.h"
#include "harness/cli/course_checks/mutants/explanations.h"
#include "harness/cli/course_checks/mutants/todo_left.h"
#include "harness/cli/whole_file.h"
#include "harness/grade/diagnosis/not_started.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

constexpr size_t kShortHash = 12;
constexpr std::pair<Fate, std::string_view> kFates[] = {{Fate::caught, "caught"},
                                                        {Fate::stillborn, "stillborn"},
                                                        {Fate::same_code, "same code"},
                                                        {Fate::equivalent, "equivalent"},
                                                        {Fate::explained, "explained"},
                                                        {Fate::survived, "survived"}};

fs::path file_of(const course::Course& course, const std::string& lab) {
  return course.root / "tests" / "mutants" / "graded" / (lab + ".tsv");
}

std::vector<RecordedMutant> load(const fs::path& file) {
  std::vector<RecordedMutant> rows;
  std::istringstream lines(text::read_file_if_readable(file).value_or(""));
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');)
      fields.push_back(part);
    RecordedMutant row;
    const auto fate = std::find_if(std::begin(kFates), std::end(kFates), [&](const auto& known) {
      return fields.size() == 7 && known.second == fields[5];
    });
    const bool is_read =
        fate != std::end(kFates) &&
        std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), row.line).ec == std::errc();
    if (!is_read)
      throw course::CourseError(fmt::format(
          "{}:{}: the line is damaged, expected rung, state, hash, line, kind, fate and verdict with tabs "
          "between them",
          file.string(), number));
    row.rung = fields[0], row.state = fields[1], row.hash = fields[2], row.kind = fields[4];
    row.fate = fate->first;
    row.verdict = fields[6];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string words_for(Fate fate) {
  for (const auto& [known, words] : kFates)
    if (known == fate) return std::string(words);
  return "";
}

void save(const fs::path& file, std::vector<RecordedMutant> rows) {
  std::sort(rows.begin(), rows.end(), [](const RecordedMutant& a, const RecordedMutant& b) {
    return std::tie(a.rung, a.line, a.hash) < std::tie(b.rung, b.line, b.hash);
  });
  std::string text =
      "# Mutants of the solutions that `ridge check LAB --mutants N --record` graded: rung, state of the rung,\n"
      "# hash of the mutant, line, kind, fate, verdict.\n";
  for (const RecordedMutant& row : rows)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", row.rung, row.state, row.hash, row.line, row.kind,
                        words_for(row.fate), row.verdict);
  fs::create_directories(file.parent_path());
  replace_file(file, text);
}

}  // namespace

std::string state_of(const course::Rung& rung) {
  std::string all = grade::code_sha256(text::read_file(rung.solution)) +
                    grade::code_sha256(text::read_file(rung.skeleton)) + "\n" + rung.problem;
  const auto add = [&](const std::vector<int64_t>& sizes) {
    for (const int64_t size : sizes)
      all += fmt::format(" {}", size);
    all += "\n";
  };
  add(rung.virtual_size);
  add(rung.virtual_step);
  for (const course::Gate& gate : rung.gates) {
    all += fmt::format("{} {} {}\n", gate.count, gate.at_least.value_or(-1), gate.at_most.value_or(-1));
    if (!gate.at_size.empty()) add(gate.at_size);
  }
  return build::sha256(all).substr(0, kShortHash);
}

std::set<std::pair<std::string, std::string>> known_mutants(const course::Course& course) {
  std::set<std::pair<std::string, std::string>> known;
  for (const course::Lab& lab : course.labs) {
    const std::vector<RecordedMutant> rows = load(file_of(course, lab.name));
    for (const course::Rung& rung : lab.rungs) {
      const std::string state = state_of(rung);
      for (const RecordedMutant& row : rows)
        if (row.rung == rung.name && row.state == state) known.insert({rung.path(), row.hash});
    }
  }
  return known;
}

std::vector<fs::path> record_mutants(const course::Course& course, const std::vector<Mutant>& mutants) {
  std::vector<fs::path> written;
  for (const course::Lab& lab : course.labs) {
    std::vector<RecordedMutant> added;
    std::map<std::string, std::string> states;
    for (const course::Rung& rung : lab.rungs)
      for (const Mutant& mutant : mutants) {
        if (mutant.rung != rung.path()) continue;
        const auto [state, is_new] = states.try_emplace(rung.name, "");
        if (is_new) state->second = state_of(rung);
        added.push_back({rung.name, state->second, hash_of_code(mutant.mutation.source), mutant.mutation.line,
                         mutant.mutation.kind, mutant.fate, mutant.verdict});
      }
    if (added.empty()) continue;
    const fs::path file = file_of(course, lab.name);
    std::vector<RecordedMutant> rows = load(file);
    std::set<std::string> hashes;
    for (const RecordedMutant& row : added)
      hashes.insert(row.hash);
    std::erase_if(rows, [&](const RecordedMutant& row) {
      const auto state = states.find(row.rung);
      return hashes.contains(row.hash) || (state != states.end() && state->second != row.state);
    });
    rows.insert(rows.end(), added.begin(), added.end());
    save(written.emplace_back(file), std::move(rows));
  }
  return written;
}

RecordCheck check_record(const course::Course& course) {
  RecordCheck check;
  const std::vector<Explanation> explanations = load_explanations(course.root);
  std::vector<Mutant> all;
  for (const course::Lab& lab : course.labs) {
    if (!fs::exists(file_of(course, lab.name))) {
      check.labs_without.push_back(lab.name);
      continue;
    }
    const std::vector<RecordedMutant> rows = load(file_of(course, lab.name));
    for (const course::Rung& rung : lab.rungs) {
      const std::string solution = text::read_file(rung.solution), state = state_of(rung);
      std::map<std::string, Mutation> possible;  // by hash
      for (Mutation& mutation : mutations_of(solution))
        possible[hash_of_code(mutation.source)] = std::move(mutation);
      for (Mutation& mutation : todos_left(text::read_file(rung.skeleton), solution))
        possible[hash_of_code(mutation.source)] = std::move(mutation);
      for (const Explanation& one : explanations)
        if (one.rung == rung.path() && std::none_of(possible.begin(), possible.end(), [&](const auto& mutation) {
              return find_explanation({one}, rung.path(), mutation.second) != nullptr;
            }))
          check.complaints.push_back(fmt::format(
              "tests/mutants/explained.toml: \"{}\" is not a mutant of {} any more; remove it", one.after, one.rung));
      size_t recorded = 0;
      for (const size_t line : todos_without_difference(text::read_file(rung.skeleton), solution))
        check.complaints.push_back(fmt::format("{} line {}: the solution does not differ near this TODO",
                                               rung.skeleton.string(), line));
      const auto complain = [&](const std::string& what) {
        check.complaints.push_back(fmt::format("{}: {}; grade and record them: ridge check {} --mutants 12 --record",
                                               rung.path(), what, rung.path()));
      };
      for (const RecordedMutant& row : rows) {
        if (row.rung != rung.name || row.state != state) continue;
        const auto mutation = possible.find(row.hash);
        // What leaves a TODO may also be a changed constant: it counts once, as the TODO.
        if (mutation == possible.end() || (mutation->second.kind == kTodoLeft) != (row.kind == kTodoLeft)) continue;
        Mutant& mutant = all.emplace_back();
        mutant.fate = row.fate;
        if (row.fate == Fate::survived || row.fate == Fate::explained)
          mutant.fate = find_explanation(explanations, rung.path(), mutation->second) ? Fate::explained
                                                                                      : Fate::survived;
        if (row.kind == kTodoLeft && mutant.fate == Fate::survived)
          complain(fmt::format("the TODO near line {} of the solution may be left", row.line));
        if (mutant.fate == Fate::survived) {
          check.survivors.push_back({rung.path(), mutation->second, mutant.fate, row.verdict, ""});
          check.survivors.back().mutation.source.clear();
        }
        possible.erase(mutation);
        ++recorded;
      }
      const size_t wanted = std::min(kLeastRecorded, recorded + possible.size());
      if (recorded < wanted)
        complain(fmt::format("{} mutants are recorded of its solution, skeleton and gates as they are, and {} are wanted",
                             recorded, wanted));
      else if (std::any_of(possible.begin(), possible.end(),
                           [](const auto& one) { return one.second.kind == kTodoLeft; }))
        complain("a TODO that is left is not recorded");
    }
  }
  check.mutants = all.size();
  check.part_caught = part_caught(all);
  if (check.part_caught < kLeastCaught)
    check.complaints.push_back(fmt::format("{:.1f}% of the recorded mistakes are caught, and {:.0f}% are wanted",
                                           100 * check.part_caught, 100 * kLeastCaught));
  return check;
}

}  // namespace ridge::cli
