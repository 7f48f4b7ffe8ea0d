// CLASS.toml: the instructor's description of a class.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "leaderboard/access/openid.h"
#include "leaderboard/classes/slurm_spec.h"

namespace ridge::leaderboard {

struct RungWeight {
  std::string rung;  // "02-coalescing/4-transpose-tiled"
  double weight = 1;
  bool operator==(const RungWeight&) const = default;
};

struct AssignmentSpec {
  std::string name, title;
  std::vector<RungWeight> rungs;
  std::string engine = "virtual";  // the target (jobs/targets.h) of the grade that counts
  std::vector<std::string> further_targets;  // graded in addition, for their boards
  double points = 100;
  int64_t due_ms = 0, hidden_until_ms = 0;
  double late_percent_per_day = 0;  // deducted per day begun, for at most late_days
  int late_days = 0;                // 0: late submissions do not count
};

struct InstructorSpec {
  std::string name, email;
};

struct ClassSpec {
  std::filesystem::path folder;  // folder of the file: contains the database and the workers' files
  std::string name, title, time_zone = "UTC";
  std::string counts =
      "best";  // which submission of a rung counts: best, last, or chosen by the student
  bool public_board = false;
  std::vector<InstructorSpec> instructors;
  std::vector<AssignmentSpec> assignments;
  // The table [server].
  std::string address = "127.0.0.1";
  int port = 8180;
  int workers = 1;
  std::string database = "class.db";
  // The address for students, behind a proxy; empty: http://address:port.
  std::string public_url;
  bool behind_proxy = false;  // trust X-Forwarded-For
  std::optional<OpenIdProvider> openid = {};
  std::optional<SlurmSpec> slurm = {};  // grading by batch jobs instead of local workers
  bool traces = false;                  // workers record a trace of every graded file
};

// Throws std::runtime_error: file, line, what is wrong, what is allowed there.
ClassSpec read_class_file(const std::filesystem::path& file, const course::Course& course);
ClassSpec read_class_text(const std::string& text, const std::string& file_name,
                          const course::Course& course);

// Letters, digits, - and _, at most 40: for names in addresses and file names.
bool is_plain_name(const std::string& name);

}  // namespace ridge::leaderboard
