// `ridge exec`: a result that was computed from bytes that nobody wrote is an error once it is read.
#include "tests/catch.h"
#include "tests/harness/cli/program_under_test.h"

using namespace ridge;
using tests::ridge_in;
using tests::ScratchFolder;

TEST_CASE("results computed from unwritten bytes are errors when they are read, and otherwise a warning") {
  const ScratchFolder folder;
  const std::string program = folder.path / "p";
  const std::string source = std::filesystem::path(SOURCE_ROOT) / "tests/programs/runtime/unread_results.cu";
  const build::Finished built = ridge_in(folder.path, {"nvcc", source, "-o", program});
  INFO(built.output);
  REQUIRE(built.status == 0);
  struct Case {
    const char *mode, *how;
    int status;
    const char* says;
  };
  constexpr const char* kWarning = "warning: nobody has read the result of this";
  constexpr const char* kStored = "stores a value computed from element 30 of the array";
  const Case cases[] = {
      {"p", "the padding is computed twice and not read", 0, kWarning},
      {"s", "the padding goes through a tile and is not read", 0, kWarning},
      {"o", "the padding is overwritten before it is read", 0, kWarning},
      {"r", "rows without their padding are copied to an array that is read whole", 0, kWarning},
      {"c", "the padding is copied to the host", 1, kStored},
      {"d", "a copy of the padding is copied to the host", 1, kStored},
      {"k", "a kernel copies the padding over what was written", 1, "which was computed at"},
      {"u", "a kernel branches on the padding", 1, "which was computed at"},
  };
  for (const Case& c : cases) {
    INFO(c.how);
    const build::Finished finished = ridge_in(folder.path, {"exec", "--", program, c.mode});
    INFO(finished.output);
    CHECK(finished.status == c.status);
    CHECK_THAT(finished.output, Catch::Contains(c.says));
    if (c.status != 0) CHECK_THAT(finished.output, !Catch::Contains("warning"));
  }
}
