// A program that is killed, or may write no more, at any moment loses nothing that it had finished.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"
#include "tests/harness/report/stored_run.h"

using namespace ridge;
using tests::ScratchFolder;

namespace {

constexpr int kKills = 200;

std::string source_of(int round, int turn) {
  return std::string(static_cast<size_t>(turn * 997 % 9000), 'x') + std::to_string(round) + "," +
         std::to_string(turn);
}

struct Finished {
  int64_t number;
  int turn;
};

// Opens the store and records as fast as it can; every run that record() has returned for goes into the pipe.
[[noreturn]] void record_until_killed(const std::filesystem::path& root, int round, int pipe) {
  int status = 1;
  try {
    for (int turn = 0;; ++turn) {
      report::Store store = report::Store::open(root);
      const Finished finished{store.record({tests::kRung, report::Origin::student, source_of(round, turn), 0},
                                           tests::result_with(grade::Verdict::wrong)),
                              turn};
      if (write(pipe, &finished, sizeof finished) != sizeof finished) break;
    }
  } catch (const report::StoreError&) {
    status = 2;
  }
  _exit(status);
}

std::string integrity_of(const std::filesystem::path& root) {
  report::Database database(report::Store::file_under(root), 1000);
  report::Statement check = database.prepare("PRAGMA integrity_check");
  check.step();
  return check.text(0);
}

}  // namespace

TEST_CASE("200 graders killed at random moments leave a store that opens, with every finished run in it") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  auto scratch = std::make_unique<ScratchFolder>();
  std::map<int64_t, std::string> expected;  // of the store that is being written to
  size_t finished_runs = 0;
  for (int round = 0; round < kKills; ++round) {
    // Every third kill finds a program that makes its first store: that, too, takes several steps.
    if (round % 3 == 0) {
      scratch = std::make_unique<ScratchFolder>();
      expected.clear();
    }
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const pid_t child = fork();
    if (child == 0) record_until_killed(scratch->path, round, pipe[1]);
    close(pipe[1]);
    const size_t before = expected.size();
    const auto read_finished = [&] {
      Finished finished;
      if (read(pipe[0], &finished, sizeof finished) != sizeof finished) return false;
      expected[finished.number] = source_of(round, finished.turn);
      return true;
    };
    if (round % 2 == 1)
      read_finished();  // on a busy machine too, every other kill finds one that is recording
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(0, 12000)(random)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    while (read_finished()) {
    }
    close(pipe[0]);
    finished_runs += expected.size() - before;

    report::Store store = report::Store::open(scratch->path);
    std::map<int64_t, std::string> found;
    for (const report::StoredRun& run : store.runs({}))
      found[run.number] = run.source;
    for (const auto& [number, source] : expected) {
      INFO("round " << round << ", run " << number);
      REQUIRE(found.contains(number));
      CHECK(found.at(number) == source);
    }
    // One more may have been on the disk when its program died before it could say so.
    CHECK(found.size() <= expected.size() + 1);
    expected = std::move(found);
    CHECK(integrity_of(scratch->path) == "ok");
  }
  CHECK(finished_runs >= kKills / 2);  // otherwise little was tried
}

TEST_CASE("a limit on writing, reached at any point, loses no earlier data") {
  const ScratchFolder scratch;
  report::Store::open(scratch.path)
      .record({tests::kRung, report::Origin::student, "first", 0}, tests::result_with(grade::Verdict::pass));
  size_t refused = 0;
  for (rlim_t limit = 0; limit <= 96 * 1024; limit += 4096) {
    const size_t before = report::Store::open(scratch.path).runs({}).size();
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);  // so that writes fail, as on a full disk
      const rlimit limits{limit, limit};
      setrlimit(RLIMIT_FSIZE, &limits);
      try {
        report::Store::open(scratch.path)
            .record({tests::kRung, report::Origin::student, std::string(20000, 'y'), 0},
                    tests::result_with(grade::Verdict::wrong));
        _exit(0);
      } catch (const report::StoreError& error) {
        _exit(error.kind == report::StoreError::Kind::full ? 1 : 2);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    INFO("limit " << limit);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) <= 1);
    refused += WEXITSTATUS(status) == 1;
    report::Store store = report::Store::open(scratch.path);
    CHECK(store.runs({}).size() == before + (WEXITSTATUS(status) == 0));
    CHECK(store.run(1)->source == "first");
    CHECK(integrity_of(scratch.path) == "ok");
  }
  CHECK(refused > 0);
}
