// The records of a clone: every graded version, and the hints that were used. SQLite in
// <root>/.ridge/ridge.db.
//
//   runs       one row per grading: the rung, the time (Unix milliseconds), the verdict, engine,
//              device, the owner of the file ("student", "solution"), its text and SHA-256, the
//              figures and the conditions as JSON (json.h), seconds, and the seed that drew hidden
//              sizes and inputs
//   hints      one row per hint that was shown
//   tunings    results of `ridge tune`: the rung, the device, the SHA-256 of the file without its
//              tuned values, the best values as a JSON object, its percentage in a full grading, and
//              how many of how many settings were measured
//   skeletons  the first text of a rung's file that was seen: `ridge reset` restores it when there is
//              no git
//
// The version of the tables is SQLite's user_version (store_schema.h). A newer program upgrades an
// older file; an older program refuses a newer file. New figures are new fields of the JSON and do not
// change the version.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/grade/grade.h"
#include "harness/report/store/database.h"

namespace ridge::report {

enum class Origin { student, solution };
const char* name_of(Origin origin);  // "student", "solution"

struct RungRecord {  // of the student's own versions
  std::optional<grade::Verdict> last;
  bool passed = false;  // at any time, on either engine
  bool gold = false;
  std::optional<double> best_percent = {};  // measured, of versions that passed, on any device
  int64_t runs = 0;
  // False: the version that passed was not measured.
  bool passed_on_gpu = false;
  std::map<std::string, double> best_by_device = {};  // "NVIDIA H200": 97.3
};

struct Run {
  std::string rung;  // "01-kernel-basics/1-vector-add"
  Origin origin = Origin::student;
  std::string source;  // the text that was graded
  uint64_t seed = 0;
};

struct StoredRun : Run {
  int64_t number = 0;
  int64_t at_ms = 0;  // since 1970, UTC
  grade::Verdict verdict = grade::Verdict::skipped;
  grade::Engine engine = grade::Engine::virtual_gpu;
  std::string device;
  std::string source_sha256;
  std::optional<double> percent;    // measured
  std::string figures, conditions;  // JSON objects
  double seconds = 0;
};

struct RunFilter {
  std::string rung = {};   // "01-kernel-basics/1-vector-add"; empty: all
  std::string lab = {};    // "01-kernel-basics"; empty: all
  bool solutions = false;  // including the reference's
  int64_t newest = 0;      // at most this many; 0: all
};

struct RunNumbers {  // all numbers in the store
  int64_t first = 0, last = 0, count = 0;
};

struct Tuned {
  std::string rung, device;
  // Hash of the text without the tuned values, equal for all settings of one file.
  std::string file_sha256;
  std::map<std::string, int64_t> setting;  // true and false are stored as 1 and 0
  double percent = 0;                      // measured in a full grading
  int64_t tries = 0, candidates = 0;       // tries: measured; candidates: not pruned
  int64_t at_ms = 0;                       // since 1970, UTC; set by the store
};

class Store {
 public:
  // A grader writes for milliseconds; a lock held for five seconds means a stuck disk.
  static constexpr int kBusyMs = 5000;
  // Creates folder and file when they are missing. Waits up to busy_ms for another writer. Throws
  // StoreError.
  static Store open(const std::filesystem::path& root, int busy_ms = kBusyMs);
  // For reading only, also in a clone without write permission. No value when nothing was stored
  // yet.
  static std::optional<Store> open_to_read(const std::filesystem::path& root, int busy_ms = kBusyMs);
  static std::filesystem::path file_under(const std::filesystem::path& root) {
    return root / ".ridge" / "ridge.db";
  }

  // Returns the run's number after the run is safely on disk.
  int64_t record(const Run& run, const grade::Result& result);
  std::map<std::string, RungRecord> records();

  std::vector<StoredRun> runs(const RunFilter& filter);  // oldest first
  std::optional<StoredRun> run(int64_t number);
  RunNumbers numbers();

  void record_tuning(const Tuned& tuned);
  // The best setting for exactly this file; device "": on any device.
  std::optional<Tuned> best_tuning(const std::string& rung, const std::string& file_sha256,
                                   const std::string& device);

  int hints_used(const std::string& rung);
  void record_hint(const std::string& rung, int number);  // from 1; repeating it has no effect

  // Only the first call has an effect.
  void remember_skeleton(const std::string& rung, const std::string& text);
  std::optional<std::string> remembered_skeleton(const std::string& rung);

 private:
  explicit Store(Database database, int64_t version) : database_(std::move(database)), version_(version) {}
  std::string selection() const;
  Database database_;
  // Version of its tables: an older file that cannot be upgraded is read as it is.
  int64_t version_;
};

}  // namespace ridge::report
