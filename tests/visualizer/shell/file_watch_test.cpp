// What wakes the window: a file that was replaced, a log that grows, a folder that was made only later.
#include "visualizer/shell/file_watch.h"

#include <chrono>
#include <fstream>

#include "tests/catch.h"
#include "tests/scratch_folder.h"

namespace ridge::view {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using tests::ScratchFolder;

// Three minutes at most, for a watch that is never woken.
bool wakes(FileWatch& watch) {
  for (int i = 0; i < 18000; ++i) {
    if (watch.take()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

}  // namespace

TEST_CASE("a watch wakes when its file is replaced or written, and for no other file") {
  const ScratchFolder folder;
  const fs::path file = folder.path / "a.rtrace";
  std::atomic<bool> woken = false;
  FileWatch watch(file, [&] { woken = true; });
  std::ofstream(folder.path / "b.rtrace") << "another";
  std::ofstream(file) << "first";
  CHECK(wakes(watch));
  fs::rename(folder.path / "b.rtrace", file);
  CHECK(wakes(watch));
  CHECK(woken);  // by the first change at the latest
  CHECK_FALSE(watch.take());
}

TEST_CASE("a watch for changes sees a log that its writer keeps open") {
  const ScratchFolder folder;
  FileWatch watch(
      folder.path / "ridge.db", [] {}, FileWatch::What::changes);
  std::ofstream log(folder.path / "ridge.db-wal");
  log << "a page" << std::flush;
  CHECK(wakes(watch));
  log << "another" << std::flush;
  CHECK(wakes(watch));
}

TEST_CASE("a watch waits for a folder that is not there yet") {
  const ScratchFolder folder;
  FileWatch watch(
      folder.path / ".ridge" / "ridge.db", [] {}, FileWatch::What::changes);
  fs::create_directory(folder.path / ".ridge");
  CHECK(wakes(watch));  // the file may have come with it
  std::ofstream(folder.path / ".ridge" / "ridge.db") << "a store";
  CHECK(wakes(watch));
}

}  // namespace ridge::view
