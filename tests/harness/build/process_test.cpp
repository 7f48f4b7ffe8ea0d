#include "harness/build/process.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/catch.h"
#include "tests/harness/build/compiled_lab.h"

using namespace ridge;
using namespace ridge::tests;
namespace fs = std::filesystem;

TEST_CASE("a program's output, exit status and failure to start are distinguished") {
  CHECK(build::run({"sh", "-c", "echo out; echo err >&2; exit 7"}).output == "out\nerr\n");
  CHECK(build::run({"sh", "-c", "exit 7"}).status == 7);
  CHECK(build::run({"sh", "-c", "kill -9 $$"}).status == 128 + 9);
  CHECK(build::run({"sh", "-c", "echo $A"}, {{"A", "b"}}).output == "b\n");
  const build::Finished missing = build::run({"/nowhere/at-all"});
  CHECK_FALSE(missing.started);
  CHECK(missing.output == "No such file or directory");
}

TEST_CASE("a program over its limits is ended with all processes that it started") {
  const build::Finished slow = build::run({"sh", "-c", "echo started; sleep 100 & sleep 100"}, {},
                                          build::Keep::all, {.seconds = 0.3});
  CHECK(slow.too_long);
  CHECK(slow.output == "started\n");
  const tests::ScratchFolder folder;
  const build::Finished large =
      build::run({"sh", "-c", "exec head -c 9999 /dev/zero > " + (folder.path / "large").string()},
                 {}, build::Keep::all, {.seconds = 50, .file_bytes = 512});
  CHECK(large.too_large);
  CHECK(fs::file_size(folder.path / "large") == 512);
  const build::Finished wordy = build::run({"sh", "-c", "yes | head -n 1000; exit 3"}, {},
                                           build::Keep::all, {.seconds = 50, .output_bytes = 10});
  CHECK(wordy.output == "y\ny\ny\ny\ny\n");
  CHECK(wordy.status == 3);
}

TEST_CASE("a running program ends when a stop is requested") {
  std::atomic<bool> stop = false;
  std::thread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = true;
  });
  const build::Finished finished =
      build::run({"sleep", "50"}, {}, build::Keep::all, {.seconds = 60, .stop = &stop});
  asks.join();
  CHECK(finished.stopped);
  CHECK_FALSE(finished.too_long);
  const Lab lab;
  CHECK_THROWS_AS(build::compile(lab.path / "labs/01/1-set.cu", lab.path / ".cache", "90a",
                                 {lab.path / "labs/01"}, &stop),
                  build::Interrupted);
}
