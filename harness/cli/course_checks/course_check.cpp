#include "harness/cli/course_checks/course_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <iterator>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "harness/build/compiler.h"
#include "harness/cli/course_checks/cheats.h"
#include "harness/cli/course_checks/family.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/whole_file.h"
#include "harness/grade/diagnosis/not_started.h"
#include "harness/problems/problem.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> sorted_files(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path known_wrong_folder(const course::Course& course, const course::Rung& rung) {
  return course.root / "tests" / "known_wrong" / rung.lab / rung.name;
}

// Checks that every .cu file in the lab's folders belongs to a rung.
void check_listed(const course::Course& course, const course::Lab& lab, std::vector<CheckRow>& rows) {
  std::set<std::string> names;
  for (const course::Rung& rung : lab.rungs)
    names.insert(rung.name);
  std::vector<std::string> unlisted;
  for (const char* tree : {"labs", "solutions"}) {
    for (const fs::path& file : sorted_files(course.root / tree / lab.name, ".cu")) {
      if (!names.contains(file.stem().string()))
        unlisted.push_back(file.lexically_relative(course.root).string());
    }
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(course.root / "tests" / "known_wrong" / lab.name, error)) {
    if (!names.contains(entry.path().filename().string())) {
      unlisted.push_back(entry.path().lexically_relative(course.root).string());
    }
  }
  std::string list;
  for (const std::string& file : unlisted)
    list += (list.empty() ? "" : ", ") + file;
  rows.push_back({lab.name, "files", "all in lab.toml", unlisted.empty() ? "all" : "others too",
                  unlisted.empty(), "no rung of lab.toml has: " + list, 0});
}

CheckRow check_mark(const course::Rung& rung, bool solution) {
  const fs::path& file = solution ? rung.solution : rung.skeleton;
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return {rung.path(), solution ? "solution's text" : "skeleton's text",  "a file", "none",
            false,       fmt::format("there is no file {}", file.string()), 0};
  const bool marked = text::read_file(file).find(grade::kSkeletonMark) != std::string::npos;
  CheckRow row{rung.path(),
               solution ? "solution's text" : "skeleton's text",
               fmt::format("{} {}", solution ? "no" : "has", grade::kSkeletonMark),
               "",
               marked != solution,
               "",
               0};
  row.got = marked ? "has it" : "has none";
  row.explanation =
      solution ? "a finished file still says what to do" : "nothing marks what the student is to write";
  return row;
}

// Without the recorded hash an untouched skeleton would be graded, with the verdict WRONG.
CheckRow check_recorded(const course::Rung& rung) {
  const std::string source = text::read_file(rung.skeleton);
  const auto outcome = grade::not_started(rung, source, rung.skeleton.filename().string());
  return {rung.path(),
          "skeleton, untouched",
          "NOT STARTED",
          outcome ? "NOT STARTED" : rung.skeleton_code_sha256.empty() ? "not recorded" : "other code",
          outcome.has_value(),
          fmt::format("{} does not hold the code of this skeleton; after a change that is meant, write it "
                      "anew: ridge check {} --record-skeletons",
                      course::kSkeletonHashes, rung.lab),
          0};
}

std::string in_first_comment(const fs::path& file, std::string_view start) {
  std::istringstream lines(text::read_file(file));
  for (std::string line; std::getline(lines, line) && line.starts_with("//");)
    if (line.starts_with(start)) return line.substr(start.size());
  return "";
}

struct CourseTask {
  CheckRow row;
  const course::Rung* rung;
  fs::path source;
  std::optional<grade::Verdict> expected;  // of known-wrong files
  std::string finding, says;               // its identifier, and what its explanation must hold; "" for any
  const FamilyMember* member = nullptr;    // its answers are correct, but it lacks the rung's idea
  fs::path headers = {};                   // of an honest file
};

const char* const kSolution = "solution";

// Where times of the processor decide, a busy machine may be the cause of another verdict.
constexpr int kTriesOfClocks = 3;

int most_tries(const course::Rung& rung) {
  const bool by_clock = problems::find_problem(rung.problem).host_code == problems::HostCode::time;
  return by_clock ? kTriesOfClocks : 1;
}

void carry_out(CourseTask& task, std::optional<uint64_t> seed) {
  grade::Request request;
  request.seed = seed;
  request.rung = task.rung;
  request.source = task.source;
  request.engine = grade::Engine::virtual_gpu;
  request.cache = cache_folder(*task.rung);
  request.even_untouched = true;
  request.counts_only = task.member != nullptr;
  if (!task.headers.empty()) request.headers = {task.headers};
  try {
    const std::string needs = in_first_comment(task.source, "// needs nvcc: ");
    if (!needs.empty() && build::choose_compiler().is_clang()) {
      task.row.got = "needs nvcc: " + needs;
      task.row.ok = true;
      return;
    }
    const grade::Result result = grade::grade(request);
    task.row.got = grade::to_string(result.verdict);
    task.row.seconds = result.seconds;
    const bool passed = grade::passed(result.verdict);
    task.row.counts = result.all_counts;
    if (task.member) {
      // A file that takes too long has met no gate.
      const bool was_graded = result.verdict != grade::Verdict::compile_error &&
                              result.verdict != grade::Verdict::timeout &&
                              result.verdict != grade::Verdict::skipped;
      task.row.ok = was_graded && passed != task.member->excuse.empty();
    } else if (task.expected) {
      task.row.ok = result.verdict == *task.expected;
    } else if (task.row.what == kSolution) {
      task.row.ok = passed;
    } else {
      task.row.ok = !passed && result.verdict != grade::Verdict::compile_error &&
                    result.verdict != grade::Verdict::skipped;
    }
    const std::string explanation = result.summary + "\n" + result.next + "\n" + result.detail;
    task.row.explanation = result.summary + "\n" + result.detail;
    if (task.row.ok && !task.finding.empty() && result.finding != task.finding) {
      task.row.ok = false;
      task.row.explanation =
          fmt::format("the verdict is right, and its finding is {} instead of {}:\n{}",
                      result.finding, task.finding, explanation);
    } else if (task.row.ok && explanation.find(task.says) == std::string::npos) {
      task.row.ok = false;
      task.row.explanation =
          fmt::format("the verdict is right, and its explanation does not say \"{}\":\n{}",
                      task.says, explanation);
    }
  } catch (const std::exception& error) {
    task.row.got = "no verdict";
    task.row.explanation = error.what();
  }
}

// The order in which tasks are started: files that are graded to the end take longest and come first,
// so that no core waits for one of them at the end.
std::vector<CourseTask*> longest_first(std::vector<CourseTask>& tasks) {
  const auto ends_early = [](const CourseTask* task) {
    return task->expected ? !grade::passed(*task->expected) && *task->expected != grade::Verdict::slow
                          : !task->member && task->row.what != kSolution;
  };
  std::vector<CourseTask*> order;
  for (CourseTask& task : tasks)
    order.push_back(&task);
  std::stable_partition(order.begin(), order.end(), std::not_fn(ends_early));
  return order;
}

}  // namespace

std::vector<fs::path> record_skeletons(const course::Course& course,
                                       const std::vector<const course::Rung*>& rungs) {
  std::vector<fs::path> written;
  for (const course::Lab& lab : course.labs) {
    if (std::none_of(rungs.begin(), rungs.end(), [&](const auto* rung) { return rung->lab == lab.name; }))
      continue;
    std::string lines;
    for (const course::Rung& rung : lab.rungs)
      lines += fmt::format("{}  {}\n", grade::code_sha256(text::read_file(rung.skeleton)), rung.name);
    replace_file(written.emplace_back(lab.folder / course::kSkeletonHashes), lines);
  }
  return written;
}

std::vector<CheckRow> check_files(const course::Course& course,
                                  const std::vector<const course::Rung*>& rungs) {
  std::vector<CheckRow> rows;
  for (const course::Lab& lab : course.labs) {
    const bool wanted =
        std::any_of(rungs.begin(), rungs.end(), [&](const auto* rung) { return rung->lab == lab.name; });
    if (wanted) check_listed(course, lab, rows);
  }
  for (const course::Rung* rung : rungs) {
    rows.push_back(check_mark(*rung, false));
    rows.push_back(check_mark(*rung, true));
    if (std::error_code gone; fs::is_regular_file(rung->skeleton, gone)) rows.push_back(check_recorded(*rung));
    const size_t hints = rung->hints.size();  // lab.toml's reader has checked that none is empty
    rows.push_back(
        {rung->path(), "hints", "3", fmt::format("{}", hints), hints == 3, "a rung has three hints", 0});
    const fs::path folder = known_wrong_folder(course, *rung);
    const size_t wrong = sorted_files(folder, ".cu").size();
    rows.push_back({rung->path(), "known-wrong files", "1 or more", fmt::format("{}", wrong), wrong > 0,
                    fmt::format("{} holds none: write one for each mistake that the rung is to teach",
                                folder.lexically_relative(course.root).string()),
                    0});
  }
  return rows;
}

grade::Verdict expected_verdict(const fs::path& known_wrong) {
  const std::string text = text::read_file(known_wrong);
  const std::string line = text.substr(0, text.find('\n'));
  const std::string start = "// expect: ";
  if (line.starts_with(start)) {
    std::string words = line.substr(start.size());
    while (!words.empty() && (words.back() == ' ' || words.back() == '\r'))
      words.pop_back();
    try {
      return grade::verdict_from(words);
    } catch (const std::invalid_argument&) {
    }
  }
  throw course::CourseError(
      fmt::format("{}:1: the first line is \"{}\", expected \"// expect: \" and a verdict, such as "
                  "// expect: OUT OF BOUNDS",
                  known_wrong.string(), line));
}

std::string expected_finding(const fs::path& known_wrong) {
  return in_first_comment(known_wrong, "// finding: ");
}

std::string expected_words(const fs::path& known_wrong) {
  return in_first_comment(known_wrong, "// says: ");
}

std::vector<CheckRow> check_by_grading(const course::Course& course,
                                       const std::vector<const course::Rung*>& rungs,
                                       const CheckChoice& choice, unsigned workers,
                                       const std::function<void(size_t, size_t)>& done) {
  std::vector<CourseTask> tasks;
  std::deque<FamilyMember> members;  // a deque keeps the elements' addresses stable
  std::vector<Cheat> honest = load_cheats(course.root);
  std::erase_if(honest, [](const Cheat& file) { return !file.honest; });
  for (const course::Rung* rung : rungs) {
    const auto add = [&](const std::string& what, const std::string& expected,
                         const fs::path& source) -> CourseTask& {
      return tasks.emplace_back(
          CourseTask{{rung->path(), what, expected, "", false, "", 0}, rung, source, {}, "", ""});
    };
    if (choice.skeletons) add("skeleton", "compiles and fails", rung->skeleton);
    add(kSolution, "passes", rung->solution);
    std::vector<FamilyMember> family;
    if (choice.families) family = family_of(course, *rung);
    for (FamilyMember& member : family) {
      members.push_back(std::move(member));
      const FamilyMember& kept = members.back();
      add("family: " + kept.name, kept.excuse.empty() ? "fails a gate" : "passes", kept.file).member = &kept;
    }
    size_t honest_files = 0;
    for (const Cheat& file : honest) {
      if (file.rung != rung->path() || file.on_virtual.size() != 1 || honest_files == choice.most_wrong) continue;
      ++honest_files;
      CourseTask& task = add("honest: " + file.file.stem().string(),
                             std::string(grade::to_string(file.on_virtual.front())), file.file);
      task.expected = file.on_virtual.front();
      task.headers = file.headers;
    }
    size_t wrong = 0;
    for (const fs::path& file : sorted_files(known_wrong_folder(course, *rung), ".cu")) {
      if (wrong++ == choice.most_wrong) break;
      const grade::Verdict verdict = expected_verdict(file);
      CourseTask& task = add("wrong: " + file.stem().string(), std::string(grade::to_string(verdict)), file);
      task.expected = verdict;
      task.finding = expected_finding(file);
      task.says = expected_words(file);
    }
  }
  std::vector<CourseTask> drawn;
  std::sample(std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()),
              std::back_inserter(drawn), std::min(choice.most_files, tasks.size()), std::mt19937_64(choice.seed));
  tasks = std::move(drawn);
  const std::vector<CourseTask*> order = longest_first(tasks);
  std::atomic<size_t> next = 0;
  size_t finished = 0;
  std::mutex finishing;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, workers); ++i) {
      threads.emplace_back([&] {
        for (size_t at = next++; at < order.size(); at = next++) {
          CourseTask& task = *order[at];
          for (int left = most_tries(*task.rung); left > 0 && !task.row.ok; --left)
            carry_out(task, choice.inputs);
          const std::lock_guard lock(finishing);
          done(++finished, order.size());
        }
      });
    }
  }
  std::vector<CheckRow> rows;
  for (CourseTask& task : tasks)
    rows.push_back(std::move(task.row));
  return rows;
}

}  // namespace ridge::cli
