#include "harness/cli/terminal/interruption.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/cli/gradable_clone.h"
#include "tests/harness/cli/pseudo_terminal.h"
#include "tests/text_of.h"

using namespace ridge;
using tests::GradableClone;
using tests::PseudoTerminal;

namespace {

struct Ended {
  int status = -1;  // as waitpid has it
  std::string said;
};

// What a process that does this ends with, and says on its standard error.
Ended ended_by(const std::filesystem::path& output, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    work();
    _exit(0);
  }
  Ended ended;
  waitpid(child, &ended.status, 0);
  ended.said = tests::text_of(output);
  return ended;
}

// Processes that were left behind become ours (see the test), and would be found here. The keeper ends them
// in moments.
bool nobody_is_left() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
  while (std::chrono::steady_clock::now() < deadline) {
    if (waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

std::vector<std::string> unfinished_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".fresh-") != name.npos || name.find(".new-") != name.npos) names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("an interruption says what is kept, removes unfinished files, and ends by the signal") {
  const tests::ScratchFolder folder;
  const auto begun = folder.path / "begun", whole = folder.path / "whole";
  folder.write("whole", "whole");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Ended ended = ended_by(folder.path / "output", [&] {
      cli::end_well_when_interrupted();
      const cli::UnfinishedFile unfinished(begun);
      folder.write("begun", "half");
      cli::say_when_interrupted("graded 1 of 4 rungs");
      cli::say_when_interrupted("graded 2 of 4 rungs");
      raise(signal);
    });
    INFO(ended.said);
    CHECK(WIFSIGNALED(ended.status));
    CHECK(WTERMSIG(ended.status) == signal);
    CHECK_THAT(ended.said, Catch::StartsWith("ridge: ") && Catch::EndsWith(": graded 2 of 4 rungs\n"));
    CHECK(!std::filesystem::exists(begun));
    CHECK(std::filesystem::exists(whole));
  }
}

TEST_CASE("a signal that nohup had ignored stays ignored") {
  const tests::ScratchFolder folder;
  const Ended ended = ended_by(folder.path / "output", [] {
    signal(SIGHUP, SIG_IGN);
    cli::end_well_when_interrupted();
    raise(SIGHUP);
    _exit(7);
  });
  CHECK(WEXITSTATUS(ended.status) == 7);
  CHECK(ended.said.empty());
}

TEST_CASE("Ctrl-C during a command leaves a clean terminal, no process, and the old files") {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const GradableClone clone;
  clone.write_students(GradableClone::source(true));
  REQUIRE(tests::ridge_in(clone.path, {"grade", "01/1", "--on", "virtual"}).status == 0);
  struct Row {
    std::vector<std::string> words;
    std::string shown;  // what it is doing when the key is pressed
    std::string kept;
  };
  const std::vector<Row> rows = {{{"grade", "01/1", "--on", "virtual"}, "compiling", "nothing was graded"},
                                 {{"trace", "01/1"}, "compiling", "no trace was written"},
                                 {{"replay", "last"}, "compiling", "nothing of a replay is kept"},
                                 {{"check", "01/1"}, "grading ...", "a check keeps nothing"}};
  for (const Row& row : rows) {
    clone.write_students(GradableClone::source(true) + "// " + row.words.front() + "\n");  // compiled anew
    std::vector<std::string> command = {RIDGE_PROGRAM};
    command.insert(command.end(), row.words.begin(), row.words.end());
    PseudoTerminal terminal(command, clone.path);
    const bool began = terminal.shows(row.shown);
    terminal.type("\x03");
    const int status = terminal.ends();
    const bool told = terminal.shows("ridge: interrupted: ") && terminal.shows(row.kept);
    INFO(row.words.front() << ": " << terminal.screen());
    CHECK(began);
    CHECK(status == 128 + SIGINT);
    CHECK(told);
    CHECK(terminal.is_as_before());
    CHECK(nobody_is_left());
    CHECK(unfinished_in(clone.path / ".ridge").empty());
  }
  CHECK(report::Store::open(clone.path).runs({}).size() == 1);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}
