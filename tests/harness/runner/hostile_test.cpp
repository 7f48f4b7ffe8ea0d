// Whatever the student's code does to its own process, the parent lives and says what happened.
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "harness/problems/compare.h"
#include "harness/runner/session.h"
#include "tests/catch.h"
#include "tests/harness/runner/modules.h"
#include "tests/harness/runner/setting.h"

using namespace ridge;
using runner::ChildEnd;
using runner::Failure;

namespace {

runner::SessionOptions options() {
  runner::SessionOptions made;
  made.installation = runner::find_installation();
  made.library_folder = made.installation.virtual_libraries;
  made.call_limit_seconds = 60;  // a bound, for what is to come by itself
  made.readable = {tests::kModules};
  return made;
}

problems::Case a_case(int64_t n) {
  return problems::make_case(problems::find_problem("scale"), {n}, problems::Draw::uniform, 1);
}

struct Hostile {
  std::variant<runner::CaseRun, Failure> answer;
  std::string printed;
  std::string sandbox;  // what confines the child, in words
};

Hostile run_hostile(const std::string& entry, double limit_seconds = 60) {
  runner::SessionOptions made = options();
  made.call_limit_seconds = limit_seconds;
  runner::Session session(made);
  auto failure = session.load(tests::kModules / "hostile_entries.so", entry, problems::find_problem("scale"));
  INFO((failure ? failure->text : std::string()));
  REQUIRE_FALSE(failure);
  auto answer = session.run_case(a_case(100), false);
  return {std::move(answer), session.printed(), session.sandbox()};
}

}  // namespace

TEST_CASE("every way in which a child can end is distinguished") {
  struct Row {
    const char* entry;
    ChildEnd::How how;
    int code;
  };
  const Row rows[] = {
      {"exits_with_0", ChildEnd::How::exited, 0},
      {"exits_at_once", ChildEnd::How::exited, 0},
      {"exits_with_3", ChildEnd::How::exited, 3},
      {"crashes", ChildEnd::How::signalled, SIGSEGV},
      {"aborts", ChildEnd::How::signalled, SIGABRT},
      {"hangs", ChildEnd::How::timed_out, 0},
      {"forges_a_reply", ChildEnd::How::malformed, 0},
      {"writes_garbage", ChildEnd::How::malformed, 0},
      {"leaves_a_process_behind", ChildEnd::How::exited, 0},
      {"floods_the_socket", ChildEnd::How::malformed, 0},
      {"sends_too_much", ChildEnd::How::malformed, 0},
  };
  for (const Row& row : rows) {
    INFO(row.entry);
    Hostile result = run_hostile(row.entry, row.how == ChildEnd::How::timed_out ? 0.5 : 60);
    REQUIRE(std::holds_alternative<Failure>(result.answer));
    const Failure& failure = std::get<Failure>(result.answer);
    CHECK(failure.stage == Failure::Stage::ended);
    CHECK(static_cast<int>(failure.end.how) == static_cast<int>(row.how));
    CHECK(failure.end.code == row.code);
  }
}

TEST_CASE("a child cannot close its descriptors where its system calls are filtered") {
  const Hostile result = run_hostile("closes_everything");
  INFO(result.sandbox);
  if (result.sandbox.find("system calls filtered") == std::string::npos &&
      result.sandbox.find("(seccomp)") == std::string::npos) {
    WARN("skipped: the system calls of the child are not filtered here");
    return;
  }
  // The call goes on as if nothing had been tried.
  CHECK(std::holds_alternative<runner::CaseRun>(result.answer));
  CHECK(result.printed.empty());
}

TEST_CASE("an unconfined child that closes its descriptors counts as ended at once") {
  const tests::Setting setting("RIDGE_SANDBOX", "none");
  const Hostile result = run_hostile("closes_everything");
  REQUIRE(std::holds_alternative<Failure>(result.answer));
  CHECK(std::get<Failure>(result.answer).stage == Failure::Stage::ended);
  CHECK(result.printed.empty());
}

TEST_CASE("the child cannot remove the shared memory from the parent") {
  Hostile result = run_hostile("shrinks_the_memory");
  REQUIRE(std::holds_alternative<runner::CaseRun>(result.answer));
  CHECK(result.printed.find("shrunk") == std::string::npos);
}

TEST_CASE("a child's output is kept up to a limit and does not block it") {
  CHECK(run_hostile("exits_with_3").printed == "giving up\n");
  Hostile endless = run_hostile("prints_without_end");
  CHECK(std::holds_alternative<runner::CaseRun>(endless.answer));
  CHECK(endless.printed.starts_with("a line of output"));
  CHECK(endless.printed.size() < 4300);
  CHECK(endless.printed.find("bytes more]") != std::string::npos);
}

TEST_CASE("control characters in a child's output have no effect on the terminal") {
  CHECK(run_hostile("steers_the_terminal").printed == "?[2J?]0;owned?done\n");
}

TEST_CASE("a packet from another process through the same socket is not accepted") {
  tests::Setting setting("RIDGE_SANDBOX", "none");  // where it can make a process at all
  Hostile result = run_hostile("answers_from_another_process");
  REQUIRE(std::holds_alternative<Failure>(result.answer));
  CHECK(std::get<Failure>(result.answer).end.how == ChildEnd::How::malformed);
}

TEST_CASE("a file that ends the program while it is loaded is the file's failure") {
  runner::Session session(options());
  auto failure =
      session.load(tests::kModules / "exits_when_loaded.so", "does_nothing", problems::find_problem("scale"));
  REQUIRE(failure);
  CHECK(failure->stage == Failure::Stage::ended);
}

TEST_CASE("a missing entry and a file that is not a library are failures to load, with a "
          "message") {
  {
    runner::Session session(options());
    auto failure =
        session.load(tests::kModules / "hostile_entries.so", "scal", problems::find_problem("scale"));
    REQUIRE(failure);
    CHECK(failure->stage == Failure::Stage::load);
    CHECK(failure->text.find("no function named scal") != std::string::npos);
    CHECK(failure->text.find("const float* in, float factor") != std::string::npos);
  }
  std::ofstream(tests::kModules / "no-library.so") << "no library\n";
  runner::Session session(options());
  auto failure = session.load(tests::kModules / "no-library.so", "scale", problems::find_problem("scale"));
  REQUIRE(failure);
  CHECK(failure->stage == Failure::Stage::load);
}

TEST_CASE("an entry that does nothing leaves inputs, fill pattern and guard bands as they were") {
  runner::SessionOptions with_guards = options();
  with_guards.guard_bytes = 1024;
  runner::Session session(with_guards);
  REQUIRE_FALSE(
      session.load(tests::kModules / "hostile_entries.so", "does_nothing", problems::find_problem("scale")));
  for (int64_t n : {1, 33, 5000}) {
    problems::Case given = a_case(n);
    auto answer = session.run_case(given, false);
    REQUIRE(std::holds_alternative<runner::CaseRun>(answer));
    const auto& buffers = std::get<runner::CaseRun>(answer).buffers;
    CHECK(std::equal(given.initial[0].begin(), given.initial[0].end(), buffers[0].data.begin(),
                     buffers[0].data.end()));
    for (size_t at = 0; at < buffers[1].data.size(); ++at)
      REQUIRE(buffers[1].data[at] == problems::poison_at(at));
    for (const runner::Returned& buffer : buffers) {
      CHECK(buffer.before.size() == 1024);
      for (auto band : {buffer.before, buffer.after})
        for (std::byte b : band)
          REQUIRE(b == std::byte{runner::kGuardByte});
    }
  }
}

TEST_CASE("a missing runtime is reported as a broken installation, with its folder") {
  runner::SessionOptions without = options();
  without.installation.runner = "/nonexistent/ridge-runner";
  CHECK_THROWS_WITH(runner::Session(without), Catch::Contains("/nonexistent/ridge-runner"));
}
