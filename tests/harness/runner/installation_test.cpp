// A build that was carried here: what its virtual GPU was built for, and what this processor can execute.
#include "harness/runner/installation.h"

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/harness/runner/setting.h"
#include "tests/scratch_folder.h"

namespace ridge::runner {
namespace {

struct Carried {
  const char* built;
  int level;
  bool runs;
};

TEST_CASE("a virtual GPU runs where the processor has one of its instruction sets") {
  const Carried cases[] = {
      {"v4\n", 4, true},       {"v4\n", 3, false},      {"v4\n", 2, false},   {"v3\n", 4, true},
      {"v3\n", 2, false},      {"v2\n", 2, true},       {"v4 v3\n", 3, true}, {"v4 v3\n", 2, false},
      {"v4 v3 v2\n", 2, true}, {"v4 v3 v2\n", 4, true}, {"plain\n", 0, true}, {"", 2, true},
  };
  for (const Carried& one : cases) {
    INFO("built for " << one.built << ", level " << one.level);
    CHECK(why_not_executable(one.built, one.level).empty() == one.runs);
  }
}

TEST_CASE("a build for another processor says what it needs, what is here, and what to do") {
  const std::string said = why_not_executable("v4 v3", 2);
  CHECK_THAT(said,
             Catch::Contains("needs a processor with x86-64-v4, x86-64-v3, and this one has x86-64-v2") &&
                 Catch::Contains("run ./ridge") && Catch::Contains("cmake --preset portable"));
}

TEST_CASE("the build's own virtual GPU runs here, and an empty folder has none") {
  const std::filesystem::path libraries = std::filesystem::path(RIDGE_BINARY_DIR) / "lib/virtual";
  REQUIRE(std::filesystem::exists(libraries / "instruction_sets"));
  CHECK(why_no_virtual_gpu(libraries).empty());
  CHECK_THAT(why_no_virtual_gpu(libraries / "nowhere"), Catch::Contains("the virtual GPU is missing"));
}

TEST_CASE("an nvcc that does not work is like none, so that clang can be used") {
  const tests::ScratchFolder folder;
  const std::filesystem::path nvcc = folder.path / "nvcc";
  folder.write("nvcc", "#!/bin/sh\nexit 127\n");
  std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
  const tests::Setting first("NVCC", nvcc.c_str());
  CHECK_NOTHROW(find_toolkit_libraries());
}

}  // namespace
}  // namespace ridge::runner
