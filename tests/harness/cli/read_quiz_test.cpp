// `ridge read` and `ridge quiz`: what opens when, and what is asked.
#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/cli/program_under_test.h"

using namespace ridge;
using tests::ridge_in;
using tests::ScratchCourse;

namespace {

// `ridge quiz 01` with these lines typed.
build::Finished quiz_in(const std::filesystem::path& root, const std::string& lines) {
  return build::run({"sh", "-c", "printf '" + lines + "' | " RIDGE_PROGRAM " quiz 01"},
                    {{"RIDGE_ROOT", root.string()}, {"NO_COLOR", ""}});
}

}  // namespace

TEST_CASE("a rung's page opens after its pass, or with --spoil; a lab's chapter is open") {
  const ScratchCourse scratch;
  scratch.write("course/worklogs/01-kernels/1-vector-add.md", "# What our solution does\n");
  scratch.write("course/chapters/01-kernel-basics.md", "# The chapter\n");
  const build::Finished closed = ridge_in(scratch.path, {"read", "01/1"});
  CHECK(closed.status == 2);
  CHECK_THAT(closed.output,
             Catch::Contains("opens after your pass") && !Catch::Contains("our solution does\n"));
  CHECK_THAT(ridge_in(scratch.path, {"read", "01/1", "--spoil"}).output,
             Catch::Contains("# What our solution does"));
  CHECK_THAT(ridge_in(scratch.path, {"read", "01"}).output, Catch::Contains("# The chapter"));
  scratch.write("course/chapters/01-kernel-basics.md",
                "# The chapter\n\n## Rung 1: adding\n\nOne index.\n\n## Rung 10: more\n\nMany.\n");
  const build::Finished section = ridge_in(scratch.path, {"read", "01/1"});
  CHECK(section.status == 0);
  CHECK_THAT(
      section.output,
      Catch::StartsWith("## Rung 1: adding\n\nOne index.\n\n*The page on our solution opens"));
  CHECK_THAT(section.output, !Catch::Contains("Many"));
  CHECK_THAT(ridge_in(scratch.path, {"read", "01/2", "--spoil"}).output,
             Catch::Contains("has no page about"));
  {
    report::Store store = report::Store::open(scratch.path);
    grade::Result result;
    result.verdict = grade::Verdict::pass;
    store.record({"01-kernel-basics/1-vector-add", report::Origin::student, "x", 7}, result);
  }
  const build::Finished open = ridge_in(scratch.path, {"read", "01/1"});
  CHECK(open.status == 0);
  CHECK_THAT(open.output, Catch::Contains("# What our solution does"));
}

TEST_CASE("a page without spoilers is open from the start") {
  std::string toml = tests::kLabToml;
  toml.insert(toml.find("hints = "), "page_is_open = true\n");
  const ScratchCourse scratch(toml);
  scratch.write("course/worklogs/01-kernels/1-vector-add.md", "# A sheet\n");
  CHECK_THAT(ridge_in(scratch.path, {"read", "01/1"}).output, Catch::Contains("# A sheet"));
}

TEST_CASE("a quiz repeats a question after an invalid answer, explains, and counts") {
  const ScratchCourse scratch;
  scratch.write("course/quizzes/01-kernel-basics.toml", R"(title = "Basics"
[[question]]
id = "a"
kind = "number"
text = "How many?"
value = 4
why = "Two and two."
[[question]]
id = "b"
kind = "choice"
text = "Which?"
choices = ["this", "that"]
right = 2
why = "It is so."
)");
  CHECK_THAT(ridge_in(scratch.path, {"quiz"}).output, Catch::Contains("2 questions  Basics"));
  const build::Finished right = quiz_in(scratch.path, "four\\n4\\nb\\n");
  CHECK(right.status == 0);
  CHECK_THAT(right.output,
             Catch::Contains("Right. Two and two.") && Catch::Contains("2 of 2 right"));
  const build::Finished wrong = quiz_in(scratch.path, "4\\na\\n");
  CHECK(wrong.status == 1);
  CHECK_THAT(wrong.output,
             Catch::Contains("Wrong: it is b. It is so.") && Catch::Contains("1 of 2 right"));
  CHECK(quiz_in(scratch.path, "4\\n").status == 1);  // the input ended before the end
  const build::Finished none = quiz_in(scratch.path, "");
  CHECK(none.status == 1);
  CHECK_THAT(none.output, Catch::Contains("No question was answered.") && !Catch::Contains("0 of 0"));
  CHECK_THAT(ridge_in(scratch.path, {"quiz", "07"}).output,
             Catch::Contains("there is no quiz \"07\""));
}
