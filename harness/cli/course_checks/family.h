// A rung's family: files that give right answers without the rung's idea. Its gates must refuse them all, but
// for those that its lab.toml excuses.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/course/lab.h"

namespace ridge::cli {

struct FamilyMember {
  std::string name;  // "1-naive": an earlier rung of the lab; "naive", "idle": of tests/family
  std::filesystem::path file;
  std::string excuse;  // why it may pass; "": it may not
};

// Earlier rungs' solutions for the same problem, and of tests/family/<problem>/ the naive kernel and those
// that do idle work. Throws CourseError for an excuse that names no member.
std::vector<FamilyMember> family_of(const course::Course& course, const course::Rung& rung);

}  // namespace ridge::cli
