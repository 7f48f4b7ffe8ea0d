// The course's quizzes: every figure in them is computed anew, and each lab has the questions it must have.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/course/quiz.h"
#include "harness/exam/computed.h"
#include "tests/catch.h"

using namespace ridge;
using course::Question;
using course::QuestionKind;

namespace {

const std::vector<course::Quiz>& quizzes() {
  static const auto all = course::load_quizzes(RIDGE_SOURCE_DIR);
  return all;
}

bool has_picture(const Question& question) {
  return !question.picture.empty() || !question.table.empty();
}

}  // namespace

TEST_CASE("every figure of a quiz is what warp_model or arithmetic gives") {
  int computed = 0;
  for (const course::Quiz& quiz : quizzes())
    for (const Question& question : quiz.questions) {
      if (!question.computed) continue;
      ++computed;
      INFO(quiz.name << ": " << question.id);
      if (question.kind == QuestionKind::lanes) {
        CHECK(exam::computed_lanes(*question.computed) == question.lanes);
      } else {
        const double value = exam::computed_value(*question.computed);
        CHECK(std::abs(value - question.value) <=
              std::abs(value) * question.within_percent / 100 + 1e-9);
      }
    }
  CHECK(computed >= 50);
}

TEST_CASE("a question for a number or for lanes is computed, unless it is listed here") {
  const std::set<std::string> kCounted = {"tree-steps"};  // log2 is no expression of C++
  for (const course::Quiz& quiz : quizzes())
    for (const Question& question : quiz.questions) {
      INFO(quiz.name << ": " << question.id);
      if (question.kind != QuestionKind::choice)
        CHECK((question.computed || kCounted.contains(question.id)));
    }
}

TEST_CASE("each lab has eight questions or more, three of them on a picture or a table") {
  std::map<std::string, const course::Quiz*> by_number;
  for (const course::Quiz& quiz : quizzes())
    by_number[quiz.name.substr(0, 2)] = &quiz;
  for (const auto& lab : std::filesystem::directory_iterator(RIDGE_SOURCE_DIR "/labs")) {
    if (!std::filesystem::exists(lab.path() / "lab.toml")) continue;
    const std::string number = lab.path().filename().string().substr(0, 2);
    INFO("lab " << number);
    REQUIRE(by_number.contains(number));
    const auto& questions = by_number[number]->questions;
    CHECK(questions.size() >= 8);
    CHECK(std::count_if(questions.begin(), questions.end(), has_picture) >= 3);
  }
}

TEST_CASE("there are twenty diagnosis cases, and each asks for a line that its listing has") {
  const auto& cases = course::find_quiz(quizzes(), "diagnosis").questions;
  CHECK(cases.size() >= 20);
  std::set<size_t> places;
  for (const Question& question : cases) {
    INFO(question.id);
    CHECK(question.line > 0);
    CHECK(("\n" + question.table)
              .find("\n" + std::string(question.line < 10 ? " " : "") +
                    std::to_string(question.line) + "  ") != std::string::npos);
    places.insert(question.right);
  }
  CHECK(places.size() >= 3);  // the right choice is not always in the same place
}

TEST_CASE(
    "the three interview scenarios can be played to their end by good choices, and every step is used") {
  const auto& scenarios = course::find_quiz(quizzes(), "scenarios").scenarios;
  CHECK(scenarios.size() == 3);
  for (const course::Scenario& scenario : scenarios) {
    INFO(scenario.id);
    std::set<std::string> visited;
    for (std::string at = scenario.steps.front().name; !at.empty();) {
      INFO("step " << at);
      REQUIRE(visited.insert(at).second);
      const auto step = std::find_if(scenario.steps.begin(), scenario.steps.end(),
                                     [&](const auto& one) { return one.name == at; });
      REQUIRE(step != scenario.steps.end());
      const auto good = std::find_if(step->choices.begin(), step->choices.end(),
                                     [](const auto& choice) { return choice.good; });
      REQUIRE(good != step->choices.end());
      at = good->next;
    }
    CHECK(visited.size() == scenario.steps.size());
  }
}
