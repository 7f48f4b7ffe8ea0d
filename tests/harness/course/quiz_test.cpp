// Quizzes: what the reader accepts and refuses, and how answers are judged.
#include "harness/course/quiz.h"

#include "tests/catch.h"
#include "tests/scratch_folder.h"

using namespace ridge;
using course::Judgement;

namespace {

constexpr const char* kQuiz = R"(title = "A quiz"
[[question]]
id = "n"
kind = "number"
text = "How many?"
value = 16
unit = "sectors"
why = "Because."
[[question]]
id = "c"
kind = "choice"
text = "Which, and in which line?"
choices = ["one", "two", "three"]
right = 2
line = 7
why = "Because."
[[question]]
id = "l"
kind = "lanes"
text = "Which lanes?"
lanes = "0, 4, 8-11"
why = "Because."
computed = { model = "lanes", where = "lane == 0" }
[[scenario]]
id = "s"
title = "A case"
[[scenario.step]]
name = "start"
text = "What now?"
[[scenario.step.choice]]
text = "left"
reply = "No."
next = "start"
[[scenario.step.choice]]
text = "right"
reply = "Yes."
good = true
)";

struct ScratchQuiz : tests::ScratchFolder {
  explicit ScratchQuiz(const std::string& toml = kQuiz) {
    write("course/quizzes/04-a-lab.toml", toml);
  }
};

std::string with_change(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a quiz is read in full and found by its number or name") {
  const ScratchQuiz scratch;
  const auto quizzes = course::load_quizzes(scratch.path);
  REQUIRE(quizzes.size() == 1);
  for (const char* name : {"04", "a-lab", "04-a-lab"})
    CHECK(course::find_quiz(quizzes, name).title == "A quiz");
  CHECK_THROWS_WITH(course::find_quiz(quizzes, "05"), Catch::Contains("there are 04-a-lab"));
  const auto& questions = quizzes[0].questions;
  REQUIRE(questions.size() == 3);
  CHECK(questions[0].value == 16);
  CHECK(questions[1].right == 1);
  CHECK(questions[1].line == 7);
  CHECK(questions[2].lanes == 0xf11);
  CHECK(questions[2].computed->where == "lane == 0");
  REQUIRE(quizzes[0].scenarios.size() == 1);
  CHECK(quizzes[0].scenarios[0].steps[0].choices[1].good);
}

TEST_CASE("a clone without quizzes has none") {
  const tests::ScratchFolder scratch;
  CHECK(course::load_quizzes(scratch.path).empty());
}

TEST_CASE("an answer is right, wrong, or none at all") {
  const ScratchQuiz scratch;
  const auto questions = course::load_quizzes(scratch.path)[0].questions;
  struct Case {
    size_t question;
    const char* answer;
    Judgement expected;
  };
  for (const Case& c : {Case{0, "16", Judgement::right},
                        {0, " 16 sectors ", Judgement::right},
                        {0, "1,6", Judgement::right},
                        {0, "15", Judgement::wrong},
                        {0, "many", Judgement::no_answer},
                        {0, "", Judgement::no_answer},
                        {0, "nan", Judgement::no_answer},
                        {1, "b 7", Judgement::right},
                        {1, "B 7", Judgement::right},
                        {1, "b 6", Judgement::wrong},
                        {1, "a 7", Judgement::wrong},
                        {1, "b", Judgement::no_answer},
                        {1, "d 7", Judgement::no_answer},
                        {2, "0,4,8,9,10,11", Judgement::right},
                        {2, "8-11, 0, 4", Judgement::right},
                        {2, "0, 4", Judgement::wrong},
                        {2, "32", Judgement::no_answer},
                        {2, "11-8", Judgement::no_answer}}) {
    INFO(questions[c.question].id << ": \"" << c.answer << "\"");
    CHECK(course::judge(questions[c.question], c.answer) == c.expected);
  }
}

TEST_CASE("the right answer is shown in the form that is typed") {
  const ScratchQuiz scratch;
  const auto quizzes = course::load_quizzes(scratch.path);
  for (const auto& question : quizzes[0].questions) {
    INFO(question.id);
    CHECK(course::judge(question, course::right_answer(question)) == Judgement::right);
  }
}

TEST_CASE("a damaged quiz is refused with file, line, what is wrong and what was expected") {
  struct Case {
    const char *from, *to, *message;
  };
  for (const Case& c :
       {Case{"kind = \"number\"", "kind = \"riddle\"",
             "not a kind of question, expected number, choice or lanes"},
        {"value = 16\n", "", "has no value"},
        {"right = 2", "right = 4", "choice 4 of 3"},
        {"\"0, 4, 8-11\"", "\"0, 40\"", "not a list of lanes"},
        {"id = \"c\"", "id = \"n\"", "two questions have the id \"n\""},
        {"next = \"start\"", "next = \"nowhere\"", "leads to \"nowhere\", expected one of start"},
        {"unit =", "units =", "unknown key"},
        {"unit = \"sectors\"", "picture = \"course/none.svg\"",
         "there is no file course/none.svg"}}) {
    const ScratchQuiz scratch(with_change(kQuiz, c.from, c.to));
    INFO(c.to);
    CHECK_THROWS_WITH(
        course::load_quizzes(scratch.path),
        Catch::Contains(c.message) && Catch::StartsWith("course/quizzes/04-a-lab.toml:"));
  }
}
