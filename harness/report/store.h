// What a student did in a clone: every graded version, and the hints that were used. SQLite in
// <root>/.ridge/ridge.db.
//
//   runs   one row a grading: the rung, when (Unix milliseconds), the verdict's words, engine, device,
//   whether the file
//          was the student's own ("student", "solution"), its text and SHA-256, the figures as JSON (json.h),
//          seconds, and the seed that drew the inputs
//   hints  one row a hint that was shown
//   skeletons  the first text of a rung's file that was seen: what `ridge reset` gives back where there is no
//   git
//
// The version of the tables is SQLite's user_version. A newer program brings an older file up to date; an
// older program refuses a newer file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/grade/grade.h"
#include "harness/report/database.h"

namespace ridge::report {

inline constexpr int64_t kStoreVersion = 1;

enum class Origin { student, solution };

struct RungRecord {  // of the student's own versions
  std::optional<grade::Verdict> last;
  bool passed = false;  // ever
  bool gold = false;
  std::optional<double> best_percent;  // measured
  int64_t runs = 0;
};

struct Run {
  std::string rung;  // "01-kernel-basics/1-vector-add"
  Origin origin = Origin::student;
  std::string source;  // the text that was graded
  uint64_t seed = 0;
};

class Store {
 public:
  // Makes folder and file when they are not there. Throws StoreError.
  static Store open(const std::filesystem::path& root);
  static std::filesystem::path file_under(const std::filesystem::path& root) {
    return root / ".ridge" / "ridge.db";
  }

  int64_t record(const Run& run, const grade::Result& result);
  std::map<std::string, RungRecord> records();

  int hints_used(const std::string& rung);
  void record_hint(const std::string& rung, int number);  // from 1; a second time changes nothing

  void remember_skeleton(const std::string& rung, const std::string& text);  // only the first counts
  std::optional<std::string> remembered_skeleton(const std::string& rung);

 private:
  explicit Store(Database database) : database_(std::move(database)) {}
  Database database_;
};

}  // namespace ridge::report
