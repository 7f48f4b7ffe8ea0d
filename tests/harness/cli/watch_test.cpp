// Watch mode in a pseudo-terminal, with the real compiler and the real virtual GPU.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "harness/cli/watch/work_process.h"
#include "tests/catch.h"
#include "tests/harness/cli/pseudo_terminal.h"
#include "tests/harness/cli/watched_clone.h"

using namespace ridge;
using tests::PseudoTerminal;
using tests::WatchedClone;

namespace {

const char* const kIdle = "every save is graded";

int children_of(pid_t process) {
  std::ifstream list("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children");
  int child = 0;
  list >> child;
  return child;
}

}  // namespace

TEST_CASE("keys are handled one by one, and the terminal is restored at the end") {
  const WatchedClone clone;
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("WRONG"));
  CHECK(terminal.takes_single_keys());
  terminal.type("n");
  CHECK(terminal.shows("n goes on after a pass"));
  terminal.type("h");
  CHECK(terminal.shows("first hint"));
  terminal.type("?");
  CHECK(terminal.shows("Every save of the file grades it"));
  // If the visualizer is built, it ends because there is no display; this clone has no script to build it.
  const bool built =
      std::filesystem::exists(std::filesystem::path(RIDGE_PROGRAM).parent_path() / "ridge-view");
  terminal.type("v");
  CHECK(terminal.shows("press t, then v"));
  terminal.type("t");
  CHECK(terminal.shows("; v shows it."));
  terminal.type("v");
  CHECK(terminal.shows(built ? "opens in a window" : "is not built yet"));
  terminal.type("x");
  CHECK(terminal.shows("[y/n]"));
  terminal.type("n");
  CHECK(terminal.shows("Nothing was changed."));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
  CHECK(terminal.is_as_before());
}

TEST_CASE("watch mode begins with the rung that its command names") {
  const WatchedClone clone;
  SECTION("a rung") {
    PseudoTerminal terminal({RIDGE_PROGRAM, "watch", "01/2"}, clone.path);
    INFO(terminal.screen());
    CHECK(terminal.shows("01-kernel-basics/2-add-again"));
    terminal.type("q");
    CHECK(terminal.ends() == 0);
  }
  SECTION("a lab: its first unfinished rung") {
    PseudoTerminal terminal({RIDGE_PROGRAM, "watch", "kernel-basics"}, clone.path);
    INFO(terminal.screen());
    CHECK(terminal.shows("01-kernel-basics/1-vector-add"));
    terminal.type("q");
    CHECK(terminal.ends() == 0);
  }
  SECTION("a name that the course does not have") {
    PseudoTerminal terminal({RIDGE_PROGRAM, "watch", "moon"}, clone.path);
    INFO(terminal.screen());
    CHECK(terminal.shows("there is no lab or rung \"moon\""));
    CHECK(terminal.ends() == 2);
    CHECK(terminal.is_as_before());
  }
}

TEST_CASE("several keys in one read are all handled, and pasted text is ignored") {
  const WatchedClone clone;
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("WRONG"));
  terminal.type("hhl");
  CHECK(terminal.shows("0/2 rungs pass"));
  terminal.type("\x1b[200~xyq\x1b[201~h");
  CHECK(terminal.shows("third hint"));  // the first two were not lost, and nothing asked for y or n
  CHECK(terminal.screen().find("[y/n]") == std::string::npos);
  terminal.type("q");
  CHECK(terminal.ends() == 0);
}

TEST_CASE("for every way of saving, the last text is graded") {
  const WatchedClone clone;
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("WRONG"));
  const auto slip = tests::source_with("slip of the pen\n");
  using Save = void (WatchedClone::*)(const std::string&) const;
  for (const Save save : {&WatchedClone::save, &WatchedClone::save_by_rename, &WatchedClone::save_with_backup,
                          &WatchedClone::save_in_pieces}) {
    (clone.*save)(slip);
    REQUIRE(terminal.shows("COMPILE ERROR"));
    (clone.*save)(tests::right());
    REQUIRE(terminal.shows("PASS"));
  }
  CHECK(clone.record().runs == 9);  // no save was graded twice
  terminal.type("q");
  CHECK(terminal.ends() == 0);
}

TEST_CASE("a removed file is reported, and graded when it exists again") {
  const WatchedClone clone;
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("WRONG"));
  std::filesystem::remove(clone.path / "labs/01-kernel-basics/1-vector-add.cu");
  REQUIRE(terminal.shows("puts the skeleton there"));
  clone.save(tests::right());
  REQUIRE(terminal.shows("PASS"));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
}

TEST_CASE("a save during a grading cancels it and is graded at once") {
  const WatchedClone clone(tests::endless());
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("grading: checking"));
  for (int i = 0; i < 20; ++i)
    clone.save(tests::endless() + "// " + std::to_string(i) + "\n");
  REQUIRE(terminal.shows("was cancelled"));
  clone.save(tests::right());
  CHECK(terminal.shows("PASS"));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
  CHECK(clone.record().last == grade::Verdict::pass);
  CHECK(clone.record().runs == 1);
  CHECK(terminal.screen().find("TIMEOUT") == std::string::npos);
}

TEST_CASE("n, pressed while the passing version is graded, continues when it has passed") {
  const WatchedClone clone(tests::right());
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("grading"));
  terminal.type("n");
  CHECK(terminal.shows("n follows when this grading has ended"));
  CHECK(terminal.shows("rung 2 of 2"));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
}

TEST_CASE("a crashed grading is reported, and watch mode continues") {
  const WatchedClone clone(tests::endless());
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("grading: checking"));
  const int worker = children_of(terminal.process());
  REQUIRE(worker > 0);
  kill(worker, SIGSEGV);
  REQUIRE(terminal.shows("the grading was ended by signal 11"));
  clone.save(tests::right());
  CHECK(terminal.shows("PASS"));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
}

TEST_CASE("a terminal that cannot position text gets lines without control characters") {
  const WatchedClone clone;
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path, "dumb");
  INFO(terminal.screen());
  REQUIRE(terminal.shows("WRONG"));
  terminal.type("h");
  CHECK(terminal.shows("first hint"));
  clone.save(tests::right());
  CHECK(terminal.shows("Press n for the next rung."));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
  CHECK(terminal.screen().find('\x1b') == std::string::npos);
}

TEST_CASE("Ctrl-C ends with 130 during a grading; Ctrl-Z and a kill restore the terminal too") {
  const WatchedClone clone;
  SECTION("Ctrl-C while grading") {
    PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
    REQUIRE(terminal.shows("grading"));
    terminal.type("\x03");
    CHECK(terminal.ends() == 130);
    CHECK(terminal.is_as_before());
    CHECK_NOTHROW(clone.record());  // the store is whole
  }
  SECTION("Ctrl-Z, then continued") {
    PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
    REQUIRE(terminal.shows(kIdle));
    terminal.type("\x1a");
    REQUIRE(terminal.stopped());
    CHECK(terminal.is_as_before());
    kill(terminal.process(), SIGCONT);
    terminal.type("?");
    CHECK(terminal.shows("Every save of the file grades it"));
    CHECK(terminal.takes_single_keys());
    terminal.type("q");
    CHECK(terminal.ends() == 0);
    CHECK(terminal.is_as_before());
  }
  SECTION("terminated, hung up, crashed") {
    for (const int signal : {SIGTERM, SIGHUP, SIGSEGV}) {
      PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
      REQUIRE(terminal.shows("grading"));
      kill(terminal.process(), signal);
      CHECK(terminal.ends() == 128 + signal);
      CHECK(terminal.is_as_before());
      // The screen of before, the cursor and whole lines are asked for in every case.
      CHECK(terminal.screen().find("\x1b[?1049l") != std::string::npos);
      CHECK(terminal.screen().find("\x1b[?25h") != std::string::npos);
    }
  }
}

TEST_CASE("no work is forked while the store is open") {
  const tests::ScratchFolder scratch;
  cli::WorkProcess process;
  const auto work = [](const cli::WorkProcess::Report&) { return std::string("done"); };
  {
    const report::Store store = report::Store::open(scratch.path);
    CHECK_THROWS_AS(process.start(work), std::logic_error);
    CHECK_FALSE(process.busy());
  }
  process.start(work);
  CHECK(process.busy());
}
