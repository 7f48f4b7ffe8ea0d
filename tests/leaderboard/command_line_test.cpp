// The command line of ridge-class, which `ridge class` starts.
#include "harness/build/process.h"
#include "tests/catch.h"

using namespace ridge;

TEST_CASE("the class server's command line is refused with a sentence and status 2") {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const Case cases[] = {
      {{"srve"},
       "ridge class: ridge class has no command \"srve\"; did you mean serve? see ridge class --help"},
      {{"kit", "--nonsense"},
       "--nonsense is not an option of ridge class kit; see ridge class kit --help"},
      {{"serve", "/nowhere.toml"},
       "File does not exist: /nowhere.toml; see ridge class serve --help"},
      {{"link"}, "CLASS.toml is required; see ridge class link --help"},
  };
  for (Case one : cases) {
    INFO(one.message);
    one.arguments.insert(one.arguments.begin(), RIDGE_CLASS_PROGRAM);
    const build::Finished finished = build::run(one.arguments);
    CHECK(finished.status == 2);
    CHECK_THAT(finished.output, Catch::Contains(one.message));
  }
}
