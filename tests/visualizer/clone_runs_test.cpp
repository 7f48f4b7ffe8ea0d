// The runs of a clone: read in a thread, again when the store changes or another lab is asked for, and never
// in the way of a picture.
#include "visualizer/session/clone_runs.h"

#include <atomic>
#include <fstream>

#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/scratch_folder.h"
#include "visualizer/app/app.h"
#include "visualizer/draw/recorder.h"

namespace ridge::view {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Clone : tests::ScratchFolder {
  Clone() {
    fs::create_directories(path / "labs");
    fs::create_directories(path / ".ridge");
  }
  void grade(const std::string& rung) const {
    grade::Result result;
    result.verdict = grade::Verdict::pass;
    report::Store::open(path).record({rung, report::Origin::student, "text", 1}, result);
  }
};

// Until it is so, 20 s at most: a failure, not a wait, ends a test that hangs.
template <typename Condition>
bool comes(Condition condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

}  // namespace

TEST_CASE("a thread reads the runs, again after a grading, and those of another lab when it is shown") {
  const Clone clone;
  clone.grade("01-basics/1-add");
  clone.grade("02-coalescing/1-stride");
  Session session;
  std::atomic<int> woken = 0;
  CloneRuns runs(clone.path);
  CHECK(runs.root() == clone.path);
  runs.start([&] { ++woken; });
  CHECK(comes([&] { return runs.take(session) && session.runs().size() == 2; }));
  CHECK(woken > 0);
  CHECK_FALSE(runs.take(session));
  clone.grade("02-coalescing/1-stride");
  runs.look();
  CHECK(comes([&] { return runs.take(session) && session.runs().size() == 3; }));
  session.set_lab("01-basics");
  CHECK(comes([&] { return runs.take(session) && session.runs().size() == 1; }));
}

TEST_CASE("a locked store delays no picture, is reported, and is read when it is free") {
  const Clone clone;
  clone.grade("01-basics/1-add");
  App app;
  CloneRuns runs(clone.path);
  {
    report::Database other(report::Store::file_under(clone.path), 100);
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    runs.start([] {});
    runs.take(app.session());  // asks
    for (int frame = 0; frame < 20; ++frame) {
      runs.take(app.session());
      Recorder seen;
      app.draw(seen, {0, 0, 640, 480}, 0);
    }
    // A reading here would have ended with runs or, after waiting for the lock, with a message.
    CHECK(app.session().runs().empty());
    CHECK(app.session().message.empty());
    other.run("ROLLBACK");
  }
  CHECK(comes([&] { return runs.take(app.session()) && app.session().runs().size() == 1; }));
  CHECK(app.session().message.find("The runs of this clone") == std::string::npos);
}

TEST_CASE("a damaged store is reported, and what was read is kept") {
  const Clone clone;
  clone.grade("01-basics/1-add");
  Session session;
  CloneRuns runs(clone.path);
  runs.refresh(session);
  REQUIRE(session.runs().size() == 1);
  std::ofstream(report::Store::file_under(clone.path), std::ios::trunc)
      << "no SQLite at all, only these words";
  runs.refresh(session);
  CHECK(session.message.find("could not be read") != std::string::npos);
  CHECK(session.runs().size() == 1);
}

}  // namespace ridge::view
