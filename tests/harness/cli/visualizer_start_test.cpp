// The visualizer is built in the background when it is first asked for.
#include "harness/cli/tracing/visualizer_start.h"

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/catch.h"
#include "tests/scratch_folder.h"

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;

struct CloneWithScript {
  tests::ScratchFolder folder;  // a build may still write to it when it is removed
  fs::path path = folder.path, log = path / "log", go = path / "go";

  explicit CloneWithScript(const std::string& script) {
    std::ofstream(path / "ridge") << "#!/bin/sh\ncd " << path.string() << "\n" << script;
    fs::permissions(path / "ridge", fs::perms::owner_all);
  }
  std::string press() const { return start_visualizer_build(path, "kernel.rtrace", log); }
  std::string press_until(const std::string& words) const {
    std::string said;
    for (int i = 0; i < 1000 && said.find(words) == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      said = press();
    }
    return said;
  }
};

TEST_CASE("a missing visualizer is built once by the clone's script") {
  const CloneWithScript clone(
      "echo \"$@\" >> asked\necho 3 of 10 steps\nuntil [ -e go ]; do sleep 0.01; done\n");
  CHECK_THAT(clone.press(), Catch::Contains("built on its first use"));
  CHECK_THAT(clone.press_until("3 of 10"), Catch::Contains("still being built: 3 of 10 steps"));
  std::ofstream(clone.go) << "";
  std::string asked;
  std::getline(std::ifstream(clone.path / "asked"), asked, '\0');
  CHECK(asked == "view kernel.rtrace\n");
  clone.press_until("once more");
}

TEST_CASE("a failed build of the visualizer is reported and tried again") {
  const CloneWithScript clone("echo no package\nexit 3\n");
  CHECK_THAT(clone.press(), Catch::Contains("built on its first use"));
  CHECK_THAT(clone.press_until("once more"), Catch::Contains("the last time ended with: no package"));
}

TEST_CASE("a clone without its script says how the visualizer is built") {
  CHECK_THAT(start_visualizer_build("/nowhere", "kernel.rtrace", "/nowhere/log"),
             Catch::Contains("/nowhere/ridge") && Catch::Contains("./ridge view"));
}

}  // namespace
}  // namespace ridge::cli
