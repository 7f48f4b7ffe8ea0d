// Classes, people and assignments in the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leaderboard/classes/class_file.h"
#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

struct ClassRecord {
  int64_t id = 0;
  std::string name, title, time_zone, counts;
  bool public_board = false;
};

struct Person {
  int64_t id = 0, class_id = 0;
  std::string role, name, email, student_number, section, nickname;
  bool anonymous = false;
  std::optional<int64_t> joined_ms;
  // The name that others see: a nickname, or an anonymous number.
  std::string shown_name() const;
};

struct Assignment : AssignmentSpec {
  int64_t id = 0, class_id = 0;
  std::optional<int64_t> frozen_ms;
};

std::optional<ClassRecord> find_class(Database& database, const std::string& name);
std::optional<ClassRecord> find_class(Database& database, int64_t id);
std::optional<Person> find_person(Database& database, int64_t id);  // no value when deleted
std::vector<Person> students_of(Database& database, int64_t class_id);
int64_t count_students(Database& database, int64_t class_id);
std::optional<Assignment> find_assignment(Database& database, int64_t class_id,
                                          const std::string& name);
std::optional<Assignment> find_assignment(Database& database, int64_t id);
std::vector<Assignment> assignments_of(Database& database, int64_t class_id);

// The target that counts comes first.
std::vector<std::string> targets_of(const AssignmentSpec& assignment);

// The due date of one student, including an extension.
int64_t due_for(Database& database, const Assignment& assignment, int64_t person_id);

// Creates missing class, instructors and assignments; existing ones keep the changes made on the
// pages, except for the title and the policy of [class].
int64_t create_or_update_class(Database& database, const ClassSpec& spec, int64_t now_ms);
int64_t save_assignment(Database& database, int64_t class_id,
                        const AssignmentSpec& spec);  // creates or replaces

}  // namespace ridge::leaderboard
