// What a busy machine kept from a process.
#include "harness/runner/process_usage.h"

#include <unistd.h>

#include "tests/catch.h"

using namespace ridge;

TEST_CASE("the longest wait is that of one thread, since the last query or its start") {
  using Waits = std::map<std::string, uint64_t>;
  constexpr uint64_t kSecond = 1'000'000'000;
  struct Row {
    const char* what;
    Waits earlier, now;
    double seconds;
  };
  for (const Row& row : {
           Row{"nothing is known", {}, {}, 0},
           Row{"one thread", {{"1", kSecond}}, {{"1", 3 * kSecond}}, 2},
           Row{"a thread that waited long before counts for nothing",
               {{"1", 50 * kSecond}, {"2", kSecond}},
               {{"1", 50 * kSecond}, {"2", 4 * kSecond}},
               3},
           Row{"a new thread", {{"1", 5 * kSecond}}, {{"1", 5 * kSecond}, {"2", kSecond}}, 1},
           Row{"a thread that has ended", {{"1", 5 * kSecond}}, {}, 0},
           Row{"a number that was given again", {{"1", 5 * kSecond}}, {{"1", kSecond}}, 0},
       }) {
    INFO(row.what);
    CHECK(runner::longest_wait_since(row.earlier, row.now) == Approx(row.seconds));
  }
}

TEST_CASE("every thread of a process is listed with its waiting time, and none of a process "
          "that has ended") {
  if (access("/proc/self/schedstat", R_OK) != 0) {
    WARN("skipped: this kernel does not say how long a thread waited");
    return;
  }
  CHECK(runner::waits_of(getpid()).contains(std::to_string(getpid())));
  CHECK(runner::waits_of(99'999'999).empty());
}
