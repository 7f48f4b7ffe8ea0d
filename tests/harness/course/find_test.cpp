#include "harness/course/lab.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"

using namespace ridge;

namespace {

std::string found(const course::Course& course, const std::string& text) {
  try {
    std::string names;
    for (const course::Rung* rung : course::find(course, text))
      names += (names.empty() ? "" : " ") + rung->name;
    return names;
  } catch (const course::NotFound& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a lab and a rung are found by number, by name and by path") {
  const tests::ScratchCourse scratch;
  const course::Course course = course::load(scratch.path);
  const std::string both = "1-vector-add 2-saxpy";
  const std::pair<std::string, std::string> cases[] = {
      {"1", both},
      {"01", both},
      {"01-kernel-basics", both},
      {"kernel-basics", both},
      {"01-kernel-basics/", both},
      {"labs/01-kernel-basics", both},
      {"solutions/01-kernel-basics/", both},
      {"1/2", "2-saxpy"},
      {"01/1", "1-vector-add"},
      {"01/vector-add", "1-vector-add"},
      {"kernel-basics/2-saxpy", "2-saxpy"},
      {"01/2-saxpy.cu", "2-saxpy"},
      {"saxpy", "2-saxpy"},
      {"2-saxpy", "2-saxpy"},
      {"labs/01-kernel-basics/2-saxpy.cu", "2-saxpy"},
      {(scratch.path / "labs/01-kernel-basics/1-vector-add.cu").string(), "1-vector-add"},
      {(scratch.path / "solutions/01-kernel-basics/1-vector-add.cu").string(), "1-vector-add"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(found(course, text) == expected);
  }
}

TEST_CASE("an unknown name is reported with the nearest names") {
  const tests::ScratchCourse scratch;
  const course::Course course = course::load(scratch.path);
  struct Case {
    const char *text, *message, *suggestion;
  };
  const Case cases[] = {
      {"kernel-bascis", "there is no lab or rung \"kernel-bascis\"", "did you mean kernel-basics"},
      {"01-kernel-basic", "there is no lab or rung", "01-kernel-basics"},
      {"01/vectr-add", "there is no rung \"vectr-add\" in 01-kernel-basics", "did you mean vector-add"},
      {"kernl-basics/1", "there is no lab \"kernl-basics\"", "kernel-basics"},
      {"saxpi", "there is no lab or rung", "saxpy"},
      {"01/9", "there is no rung \"9\" in 01-kernel-basics", "`ridge list` shows them all"},
      {"zzzzzzzz", "there is no lab or rung \"zzzzzzzz\"; `ridge list`", ""},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK_THAT(found(course, c.text), Catch::Contains(c.message));
    CHECK_THAT(found(course, c.text), Catch::Contains(c.suggestion));
  }
}
