// The family of a rung: files that give correct answers without the rung's idea. The rung's gates
// must reject all of them except those that its lab.toml excuses.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/course/lab.h"

namespace ridge::cli {

struct FamilyMember {
  std::string name;  // "1-naive": an earlier rung of the lab; "naive", "idle": of tests/family
  std::filesystem::path file;
  std::string excuse;  // why it may pass; "": it must not pass
};

// The solutions of earlier rungs for the same problem, and from tests/family/<problem>/ the naive
// kernel and the kernels that do idle work. Throws CourseError for an excuse that names no member.
std::vector<FamilyMember> family_of(const course::Course& course, const course::Rung& rung);

}  // namespace ridge::cli
