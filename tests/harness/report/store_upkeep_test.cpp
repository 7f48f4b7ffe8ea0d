// The store under adverse conditions: older and newer versions, several programs, locks, permissions, a full
// disk.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "harness/build/sha256.h"
#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"
#include "tests/harness/report/stored_run.h"

using namespace ridge;
using grade::Verdict;
using tests::kRung;
using tests::result_with;
using tests::run_of;
using tests::ScratchFolder;

namespace {

void put_version(const ScratchFolder& scratch, int version) {
  std::ostringstream sql;
  sql << std::ifstream(RIDGE_SOURCE_DIR "/tests/harness/report/stores/version-" + std::to_string(version) +
                       ".sql")
             .rdbuf();
  scratch.write(".ridge/traces/none", "");
  report::Database(report::Store::file_under(scratch.path), 1000).run(sql.str());
}

int64_t version_in(const ScratchFolder& scratch) {
  report::Database database(report::Store::file_under(scratch.path), 1000);
  report::Statement version = database.prepare("PRAGMA user_version");
  version.step();
  return version.number(0);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const report::StoreError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a store of a newer version is refused with a message and left unchanged") {
  const ScratchFolder scratch;
  report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::pass));
  const auto file = report::Store::file_under(scratch.path);
  report::Database(file, 1000).run("PRAGMA user_version = 7");
  const std::string message = error_of([&] { report::Store::open(scratch.path); });
  CHECK_THAT(message,
             Catch::Contains("was written by a newer ridge (its tables are version 7, this ridge knows 3)"));
  CHECK_THAT(message, Catch::Contains("git pull"));
  report::Database database(file, 1000);
  report::Statement rows = database.prepare("SELECT count(*) FROM runs");
  rows.step();
  CHECK(rows.number(0) == 1);
}

TEST_CASE("a store of version 1 is upgraded without losing data") {
  const ScratchFolder scratch;
  put_version(scratch, 1);
  {
    report::Store store = report::Store::open(scratch.path);
    const auto runs = store.runs({.solutions = true});
    REQUIRE(runs.size() == 4);
    CHECK(runs[0].verdict == Verdict::wrong);
    CHECK(runs[1].verdict == Verdict::out_of_bounds);
    CHECK(runs[3].origin == report::Origin::solution);
    CHECK_THAT(runs[2].source, Catch::Contains("if (i < n) c[i] = a[i] + b[i];"));
    CHECK(build::sha256(runs[2].source) == runs[2].source_sha256);
    CHECK(runs[2].conditions == "{}");
    CHECK(store.records().at(kRung).passed);
    CHECK(store.hints_used("01-kernel-basics/2-grid-stride-saxpy") == 1);
    CHECK(store.record(run_of("new"), result_with(Verdict::pass)) == 6);
  }
  CHECK(version_in(scratch) == 3);
  CHECK(report::Store::open(scratch.path).runs({}).size() == 4);
}

TEST_CASE("a store of version 2 is upgraded and then stores tunings too") {
  const ScratchFolder scratch;
  put_version(scratch, 2);
  report::Store store = report::Store::open(scratch.path);
  CHECK(version_in(scratch) == 3);
  CHECK(store.runs({}).size() == 2);
  CHECK(store.hints_used(kRung) == 1);
  CHECK_FALSE(store.best_tuning(kRung, "file", ""));
  store.record_tuning({kRung, "NVIDIA H200", "file", {{"kTile", 64}}, 80.5, 16, 96, 0});
  CHECK(store.best_tuning(kRung, "file", "")->percent == 80.5);
}

TEST_CASE("of many programs that upgrade one old store at once, one does it") {
  const ScratchFolder scratch;
  put_version(scratch, 1);
  std::vector<std::string> errors(6);
  {
    std::vector<std::jthread> programs;
    for (std::string& error : errors) {
      programs.emplace_back([&] {
        error = error_of(
            [&] { report::Store::open(scratch.path).record(run_of("new"), result_with(Verdict::wrong)); });
      });
    }
  }
  for (const std::string& error : errors)
    CHECK(error == "no error");
  CHECK(report::Store::open(scratch.path).runs({.solutions = true}).size() == 4 + errors.size());
}

TEST_CASE("a store that another program keeps locked is reported, and is intact when it is "
          "released") {
  const ScratchFolder scratch;
  report::Store::open(scratch.path).record(run_of("1"), result_with(Verdict::wrong));
  report::Database other(report::Store::file_under(scratch.path), 50),
      ours(report::Store::file_under(scratch.path), 50);
  other.run("BEGIN IMMEDIATE");
  CHECK_THAT(
      error_of([&] { const report::Transaction transaction(ours); }),
      Catch::Contains(
          "database is locked; another program has been writing to it for seconds: end it, or try again"));
  CHECK(report::Store::open_to_read(scratch.path)->runs({}).size() == 1);  // looking needs no lock
  other.run("ROLLBACK");
  CHECK(report::Store::open(scratch.path).record(run_of("2"), result_with(Verdict::wrong)) == 2);
}

TEST_CASE("only the store of a clone that a group may write to is writable by the group") {
  struct Case {
    unsigned root, folder, file;
  };
  for (const Case& c : {Case{0755, 0755, 0644}, {02775, 02775, 0664}}) {
    const mode_t before = umask(022);
    const ScratchFolder scratch;
    chmod(scratch.path.c_str(), c.root);
    report::Store store = report::Store::open(scratch.path);
    umask(before);
    const auto bits = [](const std::filesystem::path& path) {
      struct stat status {};
      return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0u;
    };
    CHECK(bits(scratch.path / ".ridge") == c.folder);
    CHECK(bits(scratch.path / ".ridge/ridge.db") == c.file);
    CHECK(bits(scratch.path / ".ridge/ridge.db-wal") == c.file);
  }
}

TEST_CASE("a clone in which nothing can be written is still read, whatever the version of its store") {
  if (geteuid() == 0) {
    WARN("tried by the program's tests, as another user: root may write anywhere");
    return;
  }
  const int version = GENERATE(1, 2, 3);
  const ScratchFolder scratch;
  if (version < 3) {
    put_version(scratch, version);
  } else {
    report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::pass));
  }
  std::filesystem::permissions(report::Store::file_under(scratch.path), std::filesystem::perms::owner_read);
  std::filesystem::permissions(scratch.path / ".ridge", std::filesystem::perms(0500));
  CHECK(report::Store::open_to_read(scratch.path)->records().at(kRung).passed);
  CHECK_FALSE(report::Store::open_to_read(scratch.path)->best_tuning(kRung, "file", ""));
  CHECK_THAT(
      error_of([&] { report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::pass)); }),
      Catch::Contains("must be writable for you"));
  std::filesystem::permissions(scratch.path / ".ridge", std::filesystem::perms(0700));
}

TEST_CASE("without stored data there is nothing to read, and reading creates no file") {
  const ScratchFolder scratch;
  CHECK_FALSE(report::Store::open_to_read(scratch.path));
  CHECK(std::filesystem::is_empty(scratch.path));
}

TEST_CASE("many graders that open and write at once lose no row") {
  const ScratchFolder scratch;
  constexpr int kWriters = 6, kRows = 20;
  std::vector<std::string> errors(kWriters);
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        errors[i] = error_of([&] {
          for (int row = 0; row < kRows; ++row) {
            report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::wrong));
          }
        });
      });
    }
  }
  for (const std::string& error : errors)
    CHECK(error == "no error");
  CHECK(report::Store::open(scratch.path).records().at(kRung).runs == kWriters * kRows);
}

TEST_CASE("a file that is not a database, a folder that is a file and a full disk are "
          "distinguished") {
  SECTION("no database") {
    const ScratchFolder scratch;
    scratch.write(".ridge/ridge.db", "this is not a database, and long enough to be looked at as one\n");
    CHECK_THAT(error_of([&] { report::Store::open(scratch.path); }),
               Catch::Contains("the file is damaged: move it"));
  }
  SECTION("a file where the folder should be") {
    const ScratchFolder scratch;
    scratch.write(".ridge", "");
    CHECK_THAT(error_of([&] { report::Store::open(scratch.path); }), Catch::Contains(".ridge"));
  }
  SECTION("a full disk, and then room again") {
    const ScratchFolder scratch;
    if (mount("none", scratch.path.c_str(), "tmpfs", 0, "size=256k") != 0) {
      WARN("not tried: mounting a small file system needs the right to");
      return;
    }
    const std::string message = error_of([&] {
      report::Store store = report::Store::open(scratch.path);
      for (int i = 0; i < 100; ++i) {
        store.record(run_of(std::string(20000, 'x')), result_with(Verdict::pass));
      }
    });
    CHECK_THAT(message, Catch::Contains("the disk is full"));
    // Not a byte left for a lock file: what is there can still be looked at.
    std::ofstream(scratch.path / "fill") << std::string(256 * 1024, 'x');
    CHECK(report::Store::open_to_read(scratch.path)->records().at(kRung).runs > 0);
    std::filesystem::remove(scratch.path / "fill");
    mount("none", scratch.path.c_str(), "tmpfs", MS_REMOUNT, "size=4m");
    report::Store store = report::Store::open(scratch.path);
    const int64_t before = store.records().at(kRung).runs;
    CHECK(before > 0);
    store.record(run_of(""), result_with(Verdict::pass));
    CHECK(store.records().at(kRung).runs == before + 1);
    umount2(scratch.path.c_str(), MNT_DETACH);
  }
}
