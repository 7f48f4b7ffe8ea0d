// Decides which submission of each rung counts, its lateness, and the resulting points.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "leaderboard/classes/records.h"

namespace ridge::leaderboard {

// A submission with its current grade.
struct GradedSubmission {
  int64_t id = 0, person_id = 0;
  std::string rung;
  int64_t received_ms = 0;
  bool chosen = false;
  std::string verdict, engine, device;
  std::optional<double> figure;
  int64_t accepted_ms = 0;
};

// 1 for a pass, 0.5 for right answers that are too slow, otherwise 0.
double share_of(const std::string& verdict);
bool is_pass(const std::string& verdict);

// 1 until the due date; then less per day begun; 0 after the last late day.
double late_factor(const AssignmentSpec& assignment, int64_t due_ms, int64_t received_ms);

enum class Grades { that_count, on_boards };  // on_boards: including those of further targets

// The valid ones, oldest first; person_id 0: of everybody.
std::vector<GradedSubmission> graded_submissions(Database& database, int64_t assignment_id,
                                                 Grades which, int64_t person_id = 0);

struct RungScore {
  GradedSubmission submission;
  double share = 0, late_factor = 1;
  double value() const { return share * late_factor; }
};

struct StudentScore {
  int64_t person_id = 0;
  std::map<std::string, RungScore> rungs;
  double points = 0;  // of the assignment's points
};

// By person; people without submissions are missing. `counts`: best, last or chosen.
std::map<int64_t, StudentScore> scores_of(Database& database, const Assignment& assignment,
                                          const std::string& counts, int64_t person_id = 0);

}  // namespace ridge::leaderboard
