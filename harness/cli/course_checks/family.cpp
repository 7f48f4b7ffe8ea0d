#include "harness/cli/course_checks/family.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/problems/problem.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

// True when a file for one rung compiles for the other and computes the same.
bool is_same_work(const course::Rung& a, const course::Rung& b) {
  return a.entry == b.entry &&
         problems::find_problem(a.problem).signature == problems::find_problem(b.problem).signature;
}

}  // namespace

std::vector<FamilyMember> family_of(const course::Course& course, const course::Rung& rung) {
  std::vector<FamilyMember> family;
  for (const course::Lab& lab : course.labs) {
    if (lab.name != rung.lab) continue;
    for (const course::Rung& earlier : lab.rungs) {
      if (earlier.name == rung.name) break;
      if (is_same_work(earlier, rung)) family.push_back({earlier.name, earlier.solution, ""});
    }
  }
  const fs::path folder = course.root / "tests" / "family" / rung.entry;
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    family.push_back({file.stem().string(), file, ""});
  for (const course::MayPass& excuse : rung.may_pass) {
    const auto found = std::find_if(family.begin(), family.end(),
                                    [&](const FamilyMember& member) { return member.name == excuse.file; });
    if (found == family.end())
      throw course::CourseError(
          fmt::format("labs/{}/lab.toml: rung {} excuses \"{}\", which is not a member of its family", rung.lab,
                      rung.name, excuse.file));
    found->excuse = excuse.why;
  }
  return family;
}

}  // namespace ridge::cli
