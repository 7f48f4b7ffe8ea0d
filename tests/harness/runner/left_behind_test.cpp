// Whoever runs a program in a sandbox is killed, at moments of its start: nothing of it may stay.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "harness/build/process.h"
#include "harness/runner/child_process.h"
#include "harness/sandbox/bubblewrap.h"
#include "tests/catch.h"
#include "tests/harness/runner/setting.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMark = "RIDGE_TRACE_LEFT_BEHIND_TEST";  // of a kind that a child is given
constexpr int kKills = 30;

// "" for a process that is gone, also while it is read.
std::string of_process(pid_t pid, const char* name) {
  const int file = open((fs::path("/proc") / std::to_string(pid) / name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string text(64 * 1024, 0);
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  text.resize(static_cast<size_t>(std::max<ssize_t>(length, 0)));
  return text;
}

// All that has our mark in its environment, but us.
std::vector<pid_t> marked(const std::string& mark) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    if (of_process(pid, "environ").find(mark) != std::string::npos) found.push_back(pid);
  }
  return found;
}

// What is there when nobody is on the way out any more; it does not stay after the test either.
std::string what_stays(const std::string& mark) {
  std::vector<pid_t> there;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(3);
  while (!(there = marked(mark)).empty() && std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::map<std::string, int> names;
  for (const pid_t pid : there) {
    ++names[of_process(pid, "comm")];
    kill(pid, SIGKILL);
  }
  std::string text;
  for (const auto& [name, count] : names)
    text += std::to_string(count) + " " + name;
  return text;
}

void kill_while_it_starts(void (*start_and_wait)(), std::mt19937& random) {
  const pid_t starter = fork();
  if (starter == 0) {
    start_and_wait();
    _exit(0);
  }
  usleep(std::uniform_int_distribution<unsigned>(0, 12000)(random));
  kill(starter, SIGKILL);
  waitpid(starter, nullptr, 0);
}

std::vector<std::string> wrapper() {
  return sandbox::bubblewrap_command(*sandbox::find_bubblewrap(), {}, sandbox::Users::own_namespace);
}

}  // namespace

TEST_CASE("no process of a sandbox remains if its starter is killed at any moment") {
  struct Row {
    const char* what;
    void (*start_and_wait)();
    bool needs_bubblewrap;
  };
  const Row rows[] = {
      {"a child to run code",
       [] {
         runner::StartOptions options;
         options.program = "/usr/bin/sleep";
         options.arguments = {"600"};
         options.wrapper = wrapper();
         runner::ChildProcess(options).wait(600);
       },
       true},
      {"a compiler",
       [] {
         std::vector<std::string> command = wrapper();
         command.insert(command.end(), {"/usr/bin/sleep", "600"});
         build::run(command, {}, build::Keep::all, {.seconds = 600});
       },
       true},
      {"a program that starts others, in sessions of their own",
       [] {
         build::run({"/bin/sh", "-c", "setsid sleep 600 & (setsid sleep 600 &); sleep 600"}, {},
                    build::Keep::all, {.seconds = 600});
       },
       false},
  };
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (const Row& row : rows) {
    INFO(row.what);
    if (row.needs_bubblewrap && !sandbox::find_bubblewrap()) {
      WARN("bubblewrap is not installed");
      continue;
    }
    const std::string mark = std::to_string(getpid()) + "-" + std::to_string(random());
    const tests::Setting setting(kMark, mark.c_str());
    for (int i = 0; i < kKills; ++i)
      kill_while_it_starts(row.start_and_wait, random);
    CHECK(what_stays(kMark + ("=" + mark)) == "");
  }
}

TEST_CASE("processes that a program leaves behind end with it, and its exit status is reported") {
  const std::string mark = std::to_string(getpid()) + "-leaver";
  const tests::Setting setting(kMark, mark.c_str());
  for (const auto& [command, status] : {std::pair{"(setsid sleep 600 &) ; exit 3", 3},
                                        {"(setsid sleep 600 &) ; kill -SEGV $$", 128 + SIGSEGV}}) {
    const build::Finished finished =
        build::run({"/bin/sh", "-c", command}, {}, build::Keep::all, {.seconds = 600});
    CHECK(finished.status == status);
    CHECK(marked(kMark + ("=" + mark)).empty());
  }
  const build::Finished missing = build::run({"/no/such/program"}, {}, build::Keep::all, {.seconds = 600});
  CHECK_FALSE(missing.started);
  CHECK(missing.output == "No such file or directory");
}

TEST_CASE("killing a keeper also ends the program") {
  const std::string mark = std::to_string(getpid()) + "-keeper";
  const tests::Setting setting(kMark, mark.c_str());
  runner::StartOptions options;
  options.program = "/usr/bin/sleep";
  options.arguments = {"600"};
  if (sandbox::find_bubblewrap()) options.wrapper = wrapper();
  runner::ChildProcess child(options);
  // Once the program runs: before that bubblewrap's inner process does not yet hang on the outer one, which is
  // what the keeper is for.
  pid_t keeper = 0;
  for (bool runs = false; !runs || !keeper; usleep(1000))
    for (const pid_t pid : marked(kMark + ("=" + mark))) {
      const std::string name = of_process(pid, "comm");
      if (name == "ridge-keeper\n") keeper = pid;
      if (name == "sleep\n") runs = true;
    }
  REQUIRE(kill(keeper, SIGKILL) == 0);
  const runner::ChildEnd end = child.wait(180);
  CHECK(end.how == runner::ChildEnd::How::signalled);
  CHECK(end.code == SIGKILL);
  CHECK(what_stays(kMark + ("=" + mark)) == "");
}
