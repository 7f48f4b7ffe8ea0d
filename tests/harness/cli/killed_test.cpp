// Whole gradings, of which one process (ridge, the runner, nvcc and what it starts, the sandbox) is killed.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/cli/gradable_clone.h"
#include "tests/text_of.h"

using namespace ridge;
using tests::GradableClone;
using tests::ridge_in;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kMostRoundsPerKill = 20;
constexpr int kCompileEvery = 25;  // the others find their file compiled: nvcc takes seconds

pid_t start_grade(const GradableClone& clone, const std::filesystem::path& output) {
  std::filesystem::remove(
      output);  // a process that is killed at once must not seem to have said the last one's words
  const pid_t child = fork();
  if (child != 0) return child;
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, 1);
  dup2(file, 2);
  setenv("RIDGE_ROOT", clone.path.c_str(), 1);
  execl(RIDGE_PROGRAM, "ridge", "grade", "01/1", "--on", "virtual", nullptr);
  _exit(127);
}

// The process and all that came of it, itself first.
std::vector<pid_t> family_of(pid_t ancestor) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::string stat;
    std::getline(std::ifstream(entry.path() / "stat"), stat);
    const size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos) continue;
    std::istringstream rest(stat.substr(name_end + 2));
    char state = 0;
    pid_t parent = 0;
    if (rest >> state >> parent) children.emplace(parent, pid);
  }
  std::vector<pid_t> family = {ancestor};
  for (size_t i = 0; i < family.size(); ++i) {
    const auto [first, last] = children.equal_range(family[i]);
    for (auto child = first; child != last; ++child)
      family.push_back(child->second);
  }
  return family;
}

bool shows_a_grade(const std::string& output) {
  for (int verdict = 0; verdict <= static_cast<int>(grade::Verdict::gold); ++verdict) {
    const std::string word(to_string(static_cast<grade::Verdict>(verdict)));
    if (output.starts_with(word + " ") || output.find("\n" + word + " ") != std::string::npos) return true;
  }
  return false;
}

// Kills until `kills` met ridge itself and as many met another process of the grading. When a kill comes is
// drawn from how long a grade took so far: it decides what is met, not whether the test is right.
void kill_gradings(size_t kills) {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const GradableClone clone;
  clone.write_students(GradableClone::source(true));
  const auto duration_of_a_grade = [&] {
    const auto start = Clock::now();
    REQUIRE(ridge_in(clone.path, {"grade", "01/1", "--on", "virtual"}).status == 0);
    return Clock::now() - start;
  };
  // How long a grade takes just now: less when one was done before it could be killed, else a little more.
  Clock::duration with_compiler = duration_of_a_grade(), without = duration_of_a_grade();
  size_t runs = 2, shown = 0, ridge_killed = 0, others_killed = 0;
  const int most_rounds = static_cast<int>(2 * kills) * kMostRoundsPerKill;
  for (int round = 0; round < most_rounds && (ridge_killed < kills || others_killed < kills || shown == 0);
       ++round) {
    const bool compiles = round % kCompileEvery == 0;
    if (compiles) clone.write_students(GradableClone::source(true) + "// " + std::to_string(round) + "\n");
    const auto output = clone.path / "output";
    Clock::duration& duration = compiles ? with_compiler : without;
    const auto start = Clock::now();
    const pid_t ridge = start_grade(clone, output);
    const double part = std::uniform_real_distribution<double>(0, 1)(random);
    const auto moment = start + std::chrono::duration_cast<Clock::duration>(duration * part);
    siginfo_t ended{};
    while (ended.si_pid == 0 && Clock::now() < moment) {
      std::this_thread::sleep_for(
          std::min<Clock::duration>(std::chrono::milliseconds(1), moment - Clock::now()));
      waitid(P_PID, static_cast<id_t>(ridge), &ended, WEXITED | WNOHANG | WNOWAIT);
    }
    if (ended.si_pid != 0)
      duration = Clock::now() - start;
    else
      duration += duration / 20;
    // Ridge itself until that was met often enough, in turn with the others; it has few relatives for much of
    // its life and many for some.
    const auto family = family_of(ridge);
    const bool others_turn = ridge_killed >= kills || (others_killed < kills && round % 2 == 0);
    const bool itself = family.size() == 1 || !others_turn;
    const bool met = kill(itself ? ridge : family[1 + random() % (family.size() - 1)], SIGKILL) == 0;
    int status = 0;
    waitpid(ridge, &status, 0);
    const std::string text = tests::text_of(output);
    INFO("round " << round << (itself ? ", ridge" : ", another") << " killed: " << text);
    const bool alive = WIFEXITED(status);
    CHECK((alive || itself));  // whatever else dies, ridge says what it saw
    ridge_killed += !alive;
    others_killed += met && !itself;
    if (alive) CHECK(WEXITSTATUS(status) <= 3);
    if (alive) CHECK((shows_a_grade(text) || WEXITSTATUS(status) == 3));  // 3: it says what was in its way

    const size_t there = report::Store::open(clone.path).runs({}).size();
    CHECK(there >= runs + shows_a_grade(text));
    CHECK(there <= runs + 1);  // kept, and killed before it could be shown
    runs = there;
    shown += shows_a_grade(text);
  }
  CHECK(ridge_killed >= kills);
  CHECK(others_killed >= kills);
  CHECK(shown > 0);
  const build::Finished after = ridge_in(clone.path, {"grade", "01/1", "--on", "virtual"});
  INFO(after.output);
  CHECK(after.status == 0);
  CHECK_THAT(after.output, Catch::StartsWith("PASS "));
}

}  // namespace

TEST_CASE("killing a process of a grading at any moment loses no shown grade and damages no "
          "later one",
          "[long]") {
  kill_gradings(8);
}

TEST_CASE("killing 200 gradings at any moment loses no shown grade and damages no later one",
          "[exhaustive]") {
  kill_gradings(100);
}
