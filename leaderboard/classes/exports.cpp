// Writes the gradebook for Canvas, Moodle, Gradescope, spreadsheets, and as one archive.
#include "leaderboard/classes/exports.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "leaderboard/classes/csv.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/classes/tar.h"
#include "leaderboard/classes/upload.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

struct Book {
  std::vector<Person> students;
  std::vector<Assignment> assignments;
  std::vector<std::map<int64_t, StudentScore>> scores;  // per assignment
};

Book book_of(Database& database, const ClassRecord& owner) {
  Book book{students_of(database, owner.id), assignments_of(database, owner.id), {}};
  for (const Assignment& assignment : book.assignments)
    book.scores.push_back(scores_of(database, assignment, owner.counts));
  return book;
}

double points_of(const Book& book, size_t assignment, int64_t person) {
  const auto found = book.scores[assignment].find(person);
  return found == book.scores[assignment].end() ? 0 : found->second.points;
}

std::string points_text(double points) {
  return fmt::format("{:.2f}", points);
}

json gradescope_of(const Book& book, const Person& student) {
  json tests = json::array();
  double score = 0;
  for (size_t i = 0; i < book.assignments.size(); ++i) {
    const Assignment& assignment = book.assignments[i];
    const auto found = book.scores[i].find(student.id);
    double weights = 0;
    for (const RungWeight& rung : assignment.rungs)
      weights += rung.weight;
    for (const RungWeight& rung : assignment.rungs) {
      const double most = assignment.points * rung.weight / weights;
      json test = {{"name", assignment.name + ": " + rung.rung},
                   {"score", 0.0},
                   {"max_score", most},
                   {"output", "nothing was handed in"}};
      if (found != book.scores[i].end())
        if (const auto one = found->second.rungs.find(rung.rung);
            one != found->second.rungs.end()) {
          test["score"] = most * one->second.value();
          test["output"] = fmt::format(
              "{} on {} ({}); submission {}", one->second.submission.verdict,
              one->second.submission.device,
              one->second.submission.engine == "gpu" ? "measured" : "counted on the virtual GPU",
              one->second.submission.id);
          test["status"] = is_pass(one->second.submission.verdict) ? "passed" : "failed";
        }
      score += test["score"].get<double>();
      tests.push_back(std::move(test));
    }
  }
  return {{"score", score},
          {"output_format", "text"},
          {"visibility", "visible"},
          {"tests", std::move(tests)}};
}

}  // namespace

std::string canvas_csv(Database& database, const ClassRecord& owner) {
  const Book book = book_of(database, owner);
  std::vector<std::string> header = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::vector<std::string> possible = {"    Points Possible", "", "", "", ""};
  for (const Assignment& assignment : book.assignments) {
    header.push_back(assignment.title);
    possible.push_back(points_text(assignment.points));
  }
  std::string text = csv_line(header) + csv_line(possible);
  for (const Person& student : book.students) {
    std::vector<std::string> line = {student.name, "", student.student_number, student.email,
                                     student.section};
    for (size_t i = 0; i < book.assignments.size(); ++i)
      line.push_back(points_text(points_of(book, i, student.id)));
    text += csv_line(line);
  }
  return text;
}

std::string moodle_csv(Database& database, const ClassRecord& owner) {
  const Book book = book_of(database, owner);
  std::vector<std::string> header = {"ID number", "Email address", "Full name"};
  for (const Assignment& assignment : book.assignments)
    header.push_back(fmt::format("Assignment: {} (Real)", assignment.title));
  std::string text = csv_line(header);
  for (const Person& student : book.students) {
    std::vector<std::string> line = {student.student_number, student.email, student.name};
    for (size_t i = 0; i < book.assignments.size(); ++i)
      line.push_back(points_text(points_of(book, i, student.id)));
    text += csv_line(line);
  }
  return text;
}

std::string plain_csv(Database& database, const ClassRecord& owner) {
  const Book book = book_of(database, owner);
  std::string text = csv_line({"student", "name", "email", "number", "section", "assignment",
                               "rung", "submission", "received", "verdict", "engine", "device",
                               "measured_percent", "counted_percent", "late_factor", "value"});
  for (const Person& student : book.students)
    for (size_t i = 0; i < book.assignments.size(); ++i)
      for (const RungWeight& rung : book.assignments[i].rungs) {
        std::vector<std::string> line = {std::to_string(student.id),
                                         student.name,
                                         student.email,
                                         student.student_number,
                                         student.section,
                                         book.assignments[i].name,
                                         rung.rung};
        const auto scores = book.scores[i].find(student.id);
        const bool there =
            scores != book.scores[i].end() && scores->second.rungs.contains(rung.rung);
        if (!there) {
          line.resize(16);
        } else {
          const RungScore& score = scores->second.rungs.at(rung.rung);
          const std::string figure =
              score.submission.figure ? fmt::format("{:.2f}", *score.submission.figure) : "";
          const bool gpu = score.submission.engine == "gpu";
          for (const std::string& cell :
               {std::to_string(score.submission.id),
                local_text(score.submission.received_ms, owner.time_zone), score.submission.verdict,
                score.submission.engine, score.submission.device, gpu ? figure : "",
                gpu ? "" : figure, fmt::format("{:.3f}", score.late_factor),
                fmt::format("{:.4f}", score.value())})
            line.push_back(cell);
        }
        text += csv_line(line);
      }
  return text;
}

std::string gradescope_json(Database& database, const ClassRecord& owner) {
  const Book book = book_of(database, owner);
  json all = json::object();
  for (const Person& student : book.students)
    all[std::to_string(student.id)] = gradescope_of(book, student);
  return json({{"students", std::move(all)}}).dump(1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

std::string archive_tar(Database& database, const ClassRecord& owner) {
  const Book book = book_of(database, owner);
  std::vector<TarFile> files = {{owner.name + "/canvas.csv", canvas_csv(database, owner), 0},
                                {owner.name + "/moodle.csv", moodle_csv(database, owner), 0},
                                {owner.name + "/plain.csv", plain_csv(database, owner), 0}};
  for (const Person& student : book.students) {
    const std::string folder = fmt::format("{}/student-{}/", owner.name, student.id);
    files.push_back(
        {folder + "results.json",
         gradescope_of(book, student).dump(1, ' ', false, json::error_handler_t::replace), 0});
    for (
        const Row& row : database.run(
            "SELECT s.id, s.files, s.received_ms, g.result FROM submissions s LEFT JOIN grades g ON g.submission_id = s.id AND "
            "g.in_force = 1 WHERE s.person_id = ? ORDER BY s.id",
            {student.id})) {
      const json list = json::parse(row.text(1), nullptr, false);
      for (const json& file : list.is_array() ? list : json::array()) {
        // Accepted names were checked on upload; an archive is unpacked on other machines, so check
        // again.
        const UploadedFile uploaded{file.value("name", ""), file.value("text", "")};
        if (complaint_about_name(uploaded.name).empty())
          files.push_back({fmt::format("{}{}/{}", folder, row.number(0), uploaded.name),
                           uploaded.text, row.number(2)});
      }
      if (!row.is_null(3))
        files.push_back(
            {fmt::format("{}{}/grade.json", folder, row.number(0)), row.text(3), row.number(2)});
    }
  }
  return tar_of(files);
}

}  // namespace ridge::leaderboard
