// Synthetic students and submissions, for the demonstration and for load measurements. Their grades
// are random: the summary says so, and so does every page of a demonstration.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "leaderboard/access/secrets.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/classes/records.h"
#include "leaderboard/program/commands.h"
#include "leaderboard/store/events.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

constexpr const char* kFirst[] = {"Ada",   "Blaise",  "Chiara", "Deniz", "Emeka", "Fatima", "Goran",
                                  "Hanna", "Ibrahim", "Jun",    "Katya", "Liam",  "Mei",    "Noor",
                                  "Olu",   "Priya",   "Quinn",  "Rosa",  "Sofia", "Tomas"};
constexpr const char* kLast[] = {"Abe",     "Brandt", "Costa",  "Diallo", "Eriksson",
                                 "Ferrari", "Garcia", "Haddad", "Ito",    "Jansen"};
constexpr const char* kNick[] = {"warp", "lane",  "tile",   "sector",  "bank",  "cache", "fence",
                                 "grid", "block", "stride", "swizzle", "mbar",  "fma",   "ridge",
                                 "roof", "ptx",   "sass",   "tma",     "dsmem", "wgmma"};

struct Student {
  int64_t id = 0;
  double skill = 0;
};

class Generator {
 public:
  Generator(Database& database, int64_t class_id, const course::Course& course, int64_t now_ms)
      : database_(database), class_id_(class_id), course_(course), now_ms_(now_ms) {}

  void add_students(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("{} {}", kFirst[i % 20], kLast[(i / 20 + i) % 10]);
      const std::string nickname = fmt::format("{}-{}", kNick[i % 20], 10 + i * 7 % 90);
      const int64_t id =
          database_
              .run(
                  "INSERT INTO people (class_id, role, name, email, student_number, section, nickname, "
                  "anonymous, created_ms, joined_ms) VALUES (?, 'student', ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                  {class_id_, name, fmt::format("student{}@example.org", i + 1),
                   fmt::format("S{:05}", 10001 + i), std::string(i % 2 ? "B" : "A"), nickname,
                   int64_t{i % 7 == 3}, now_ms_ - 30 * kDayMs, now_ms_ - 29 * kDayMs})[0]
              .number(0);
      students_.push_back({id, std::uniform_real_distribution<double>(0.2, 1)(random_)});
    }
  }

  void add_submissions(int count) {
    std::vector<Assignment> assignments = assignments_of(database_, class_id_);
    // The last assignment has just begun.
    for (int i = 0; i < count; ++i) {
      const double progress = (i + 0.5) / count;
      const size_t most = progress < 0.4 ? 1 : progress < 0.92 ? 2 : 3;
      const Assignment& assignment = assignments[std::min(assignments.size(), most) - 1];
      const Student& student = students_[random_() % students_.size()];
      const int64_t at_ms =
          now_ms_ - static_cast<int64_t>((1 - progress) * 20.0 * static_cast<double>(kDayMs)) -
          kHourMs;
      add_submission(assignment, assignment.rungs[random_() % assignment.rungs.size()].rung,
                     student, at_ms);
    }
  }

 private:
  void add_submission(const Assignment& assignment, const std::string& name, const Student& student,
                      int64_t at_ms) {
    const course::Rung& rung = *course::find(course_, name).at(0);
    const double luck = std::uniform_real_distribution<double>(0, 1)(random_);
    const bool passed = luck < student.skill;
    const bool virtual_engine = assignment.engine == "virtual";
    static const char* misses[] = {"WRONG", "SLOW", "OUT OF BOUNDS", "RACE", "COMPILE ERROR"};
    const std::string verdict = passed ? "PASS" : misses[random_() % 5];
    const std::string source =
        fmt::format("// version {} of student {}\n{}", random_() % 1000, student.id,
                    texts(passed ? rung.solution : rung.skeleton));
    const int64_t id =
        database_
            .run(
                "INSERT INTO submissions (class_id, assignment_id, person_id, rung, files, received_ms, state) VALUES (?, ?, ?, ?, "
                "?, ?, 'graded') RETURNING id",
                {class_id_, assignment.id, student.id, name,
                 json::array({{{"name", rung.name + ".cu"}, {"text", source}}}).dump(), at_ms})[0]
            .number(0);
    if (!passed && random_() % 2)
      database_.run(
          "INSERT INTO hints (person_id, rung, shown) VALUES (?, ?, ?) ON CONFLICT (person_id, rung) DO UPDATE SET shown = "
          "CASE WHEN excluded.shown > hints.shown THEN excluded.shown ELSE hints.shown END",
          {student.id, name, static_cast<int64_t>(1 + random_() % 3)});
    const double figure =
        20 + 75 * student.skill * std::uniform_real_distribution<double>(0.6, 1)(random_);
    const std::string device = virtual_engine ? "H200 (virtual)" : "NVIDIA H200";
    const std::string summary = "A synthetic grade: a random number, not a grading.";
    const std::string seed = random_seed();
    const json result = {{"verdict", verdict},
                         {"summary", summary},
                         {"next", ""},
                         {"detail", ""},
                         {"engine", virtual_engine ? "virtual" : "gpu"},
                         {"device", device},
                         {"seconds", 1.5},
                         {"synthetic", true},
                         {"gates", json::array()}};
    database_.run(
        "INSERT INTO jobs (submission_id, attempt, state, seed, queued_ms, worker) VALUES (?, 1, 'done', ?, ?, 'synthetic')",
        {id, seed, at_ms});
    database_.run(
        "INSERT INTO grades (submission_id, attempt, in_force, verdict, engine, device, figure, summary, next, result, seed, "
        "seconds, accepted_ms) VALUES (?, 1, 1, ?, ?, ?, ?, ?, '', ?, ?, 1.5, ?)",
        {id, verdict, std::string(virtual_engine ? "virtual" : "gpu"), device,
         passed || verdict == "SLOW" ? Value(figure) : Value(nullptr), summary, result.dump(), seed,
         at_ms + 4000});
    log_event(database_, {at_ms, class_id_, "submission.received",
                          fmt::format("student {}", student.id), id, student.id, name});
    log_event(database_, {at_ms + 4000, class_id_, "grade.accepted", "worker synthetic", id,
                          student.id, "attempt 1: " + verdict});
  }

  const std::string& texts(const std::filesystem::path& file) {
    const auto [found, fresh] = texts_.try_emplace(file.string());
    if (fresh) found->second = text::read_file(file);
    return found->second;
  }

  Database& database_;
  int64_t class_id_;
  const course::Course& course_;
  int64_t now_ms_;
  std::mt19937 random_{20270301};
  std::vector<Student> students_;
  std::map<std::string, std::string> texts_;
};

}  // namespace

void add_synthetic_class(Database& database, int64_t class_id, const course::Course& course,
                         int students, int submissions, int64_t now_ms) {
  Generator generator(database, class_id, course, now_ms);
  generator.add_students(students);
  generator.add_submissions(submissions);
}

}  // namespace ridge::leaderboard
