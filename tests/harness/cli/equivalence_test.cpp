// A solution at the sizes at which its mutants are compared with it, on the virtual GPU.
#include "harness/cli/course_checks/mutants/equivalence.h"

#include "harness/build/compile.h"
#include "harness/cli/rung_work.h"
#include "harness/course/lab.h"
#include "harness/grade/engine_choice.h"
#include "harness/runner/installation.h"
#include "tests/catch.h"
#include "text/whole_file.h"

using namespace ridge;

TEST_CASE("a solution for several devices has them at the further sizes of its mutants") {
  const course::Course course = course::load(SOURCE_ROOT);
  const course::Rung& rung = *course::find(course, "11/1").front();
  const auto choice = grade::choose_engine(grade::Engine::virtual_gpu, runner::find_installation());
  const build::Compiled compiled = build::compile(rung.solution, cli::cache_folder(rung),
                                                  choice.architecture, rung.include_folders());
  INFO(compiled.messages);
  REQUIRE(compiled.ok);
  const cli::Behaviour behaviour =
      cli::behaviour_of(rung, compiled, text::read_file(rung.solution), 1);
  CHECK(behaviour.finding == "");
  CHECK(behaviour.amounts.size() > 10);
}
