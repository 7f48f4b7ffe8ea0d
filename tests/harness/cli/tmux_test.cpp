// Watch mode as a learner has it: in a terminal with a screen, driven by keys and saves. tmux is the
// terminal.
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/catch.h"
#include "tests/harness/cli/tmux_terminal.h"
#include "tests/harness/cli/watched_clone.h"
#include "tests/text_of.h"

using namespace ridge;
using tests::TmuxTerminal;
using tests::WatchedClone;

namespace {

bool tmux_is_missing() {
  if (TmuxTerminal::installed()) return false;
  WARN("skipped: tmux is not installed; apt-get install tmux (./ridge test does it)");
  return true;
}

// `then`: what the shell does afterwards.
std::string ridge_in_shell(const WatchedClone& clone, const std::string& then) {
  return "RIDGE_ROOT='" + clone.path.string() + "' '" RIDGE_PROGRAM "'; " + then;
}

std::vector<std::string> lines_of(const std::string& screen) {
  std::vector<std::string> lines;
  std::istringstream stream(screen);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a student fails, takes a hint, edits, passes and continues, with resizes and a reset") {
  if (tmux_is_missing()) return;
  const WatchedClone clone;
  const TmuxTerminal terminal(clone.path.string(),
                              ridge_in_shell(clone, "echo \"ended with $?\"; stty -a; read line"), 100, 40);
  INFO(terminal.screen());

  // Fails.
  REQUIRE(terminal.shows("WRONG"));
  CHECK(terminal.shows("1-vector-add  Vector add"));
  CHECK(terminal.shows("rung 1 of 2"));
  CHECK(terminal.shows("nothing was written there"));
  REQUIRE(terminal.shows("every save is graded"));
  CHECK(terminal.property("#{alternate_on} #{cursor_flag}") == "1 0");
  terminal.press({"n"});
  CHECK(terminal.shows("n goes on after a pass"));

  // Takes a hint, and puts it away.
  terminal.press({"h"});
  REQUIRE(terminal.shows("Hint 1 of 3"));
  CHECK(terminal.shows("first hint"));
  CHECK(terminal.shows("WRONG"));
  terminal.press({"Escape"});
  CHECK(terminal.no_longer_shows("first hint"));

  // Edits: first with a slip of the pen, then right.
  clone.save(tests::source_with("slip of the pen\n"));
  REQUIRE(terminal.shows("COMPILE ERROR"));
  CHECK(terminal.screen().find("n next") == std::string::npos);
  clone.save_by_rename(tests::right());
  REQUIRE(terminal.shows("Press n for the next rung."));
  CHECK(terminal.shows("PASS"));
  CHECK(terminal.shows("n next"));
  CHECK(terminal.no_longer_shows("COMPILE ERROR"));

  // A small terminal, and a large one again.
  terminal.resize(46, 12);
  REQUIRE(terminal.shows("n h b t v l x ? q"));
  CHECK(terminal.comes_true([&] {
    const auto lines = lines_of(terminal.screen());
    return lines.size() == 12 && lines.front().starts_with("01-kernel-basics/1-vector-add") &&
           lines.back().starts_with("n h b t v l x ? q");
  }));
  CHECK(terminal.shows("PASS"));
  terminal.resize(100, 40);
  REQUIRE(terminal.shows("rung 1 of 2"));
  CHECK(terminal.shows("q quit"));

  // Measures it over a range of sizes; nothing is graded, and the pass stands.
  terminal.press({"b"});
  REQUIRE(terminal.shows("sectors per request"));
  CHECK(terminal.shows("every save is graded"));
  CHECK(terminal.shows("n next"));

  // Resets: no, then yes.
  terminal.press({"x"});
  REQUIRE(terminal.shows("[y/n]"));
  terminal.press({"n"});
  REQUIRE(terminal.shows("Nothing was changed."));
  CHECK(tests::text_of(clone.path / tests::kWatchedFile) == tests::right());
  terminal.press({"x"});
  REQUIRE(terminal.shows("[y/n]"));
  terminal.press({"y"});
  REQUIRE(terminal.shows("The skeleton is back; your version is " + tests::kWatchedFile + ".mine-1"));
  CHECK(tests::text_of(clone.path / tests::kWatchedFile) == tests::unfinished());
  CHECK(tests::text_of(clone.path / (tests::kWatchedFile + ".mine-1")) == tests::right());
  CAPTURE(terminal.screen());
  // The word alone may still stand there from an earlier run.
  REQUIRE(terminal.comes_true([&] { return clone.record().last == grade::Verdict::wrong; }));
  REQUIRE(terminal.shows("WRONG"));

  // Passed once is passed: goes on.
  terminal.press({"n"});
  REQUIRE(terminal.shows("2-add-again"));
  CHECK(terminal.shows("rung 2 of 2"));
  terminal.press({"l"});
  CHECK(terminal.shows("1/2 rungs pass"));

  terminal.press({"q"});
  REQUIRE(terminal.shows("ended with 0"));
  CHECK(terminal.shows("1 of 2 rungs pass; ./ridge goes on with 01-kernel-basics/2-add-again."));
  REQUIRE(terminal.shows("icanon"));
  CHECK(terminal.screen().find("-icanon") == std::string::npos);
  CHECK(terminal.property("#{alternate_on} #{cursor_flag}") == "0 1");
  CHECK(clone.record().passed);
  CHECK(to_string(clone.record().last.value_or(grade::Verdict::skipped)) == "WRONG");
}

TEST_CASE("Ctrl-Z restores the shell's screen, fg restores watch mode, and Ctrl-C ends it "
          "cleanly") {
  if (tmux_is_missing()) return;
  const WatchedClone clone;
  const TmuxTerminal terminal(clone.path.string(), "PS1='shell> ' bash --norc --noprofile -i", 80, 24);
  REQUIRE(terminal.shows("shell>"));
  terminal.press({ridge_in_shell(clone, "echo \"ended with $?\""), "Enter"});
  REQUIRE(terminal.shows("WRONG"));
  terminal.press({"C-z"});
  REQUIRE(terminal.shows("Stopped"));
  CHECK(terminal.property("#{alternate_on} #{cursor_flag}") == "0 1");
  terminal.press({"fg", "Enter"});
  REQUIRE(terminal.shows("nothing was written there"));
  terminal.press({"?"});
  REQUIRE(terminal.shows("put the skeleton back"));
  terminal.press({"C-c"});
  REQUIRE(terminal.comes_true([&] { return terminal.property("#{alternate_on} #{cursor_flag}") == "0 1"; }));
  CHECK(terminal.no_longer_shows("put the skeleton back"));
  terminal.press({"echo still a shell", "Enter"});
  CHECK(terminal.shows("\nstill a shell"));
}

TEST_CASE("a body that is longer than the screen scrolls and shows how much there is") {
  if (tmux_is_missing()) return;
  const WatchedClone clone;
  const TmuxTerminal terminal(clone.path.string(), ridge_in_shell(clone, "read line"), 60, 14);
  REQUIRE(terminal.shows("more lines below"));
  CHECK(terminal.screen().find("????????") == std::string::npos);
  terminal.press({"End"});
  CHECK(terminal.shows("????????"));  // the map of an output that was never written comes last
  CHECK(terminal.shows("the end"));
  terminal.press({"Home"});
  CHECK(terminal.shows("more lines below"));
  for (int i = 0; i < 3; ++i)
    terminal.press({"Down"});
  CHECK(terminal.no_longer_shows("WRONG"));
  terminal.press({"q"});
}
