// Answers to quizzes: judged by the server, kept, and exported.
#include "harness/course/quiz.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"

namespace ridge::leaderboard {
namespace {

using nlohmann::json;

// The right answers of a quiz, as a student types them.
json right_answers(const std::string& name) {
  json answers = json::object();
  const auto quizzes = course::load_quizzes(RIDGE_SOURCE_DIR);
  for (const course::Question& question : course::find_quiz(quizzes, name).questions)
    answers[question.id] = course::right_answer(question);
  return answers;
}

Asked send(ClassFixture& fixture, const std::string& token, const json& body) {
  return fixture.ask("POST", "/api/v1/classes/gpu/quizzes", token, body);
}

}  // namespace

TEST_CASE("a quiz is judged by the server, whatever the student's machine says") {
  ClassFixture fixture;
  json answers = right_answers("02-coalescing");
  const auto count = static_cast<int64_t>(answers.size());
  Asked asked = send(fixture, fixture.student, {{"quiz", "02-coalescing"}, {"answers", answers}});
  CHECK(asked.status == 200);
  CHECK(asked.body == json{{"quiz", "02-coalescing"}, {"right", count}, {"of", count}});
  answers["stride-2"] = "16";
  answers["misaligned"] = 5;                // no text
  answers["unknown"] = "7";                 // no question
  answers["aos"] = std::string(1000, '3');  // longer than any answer
  asked = send(fixture, fixture.student,
               {{"quiz", "02-coalescing"}, {"answers", answers}, {"right", count}});
  CHECK(asked.body["right"] == count - 3);
}

TEST_CASE("a quiz that does not exist, or answers of another form, are refused") {
  ClassFixture fixture;
  CHECK(send(fixture, fixture.student, {{"quiz", "../x"}, {"answers", json::object()}}).status ==
        404);
  CHECK(
      send(fixture, fixture.student, {{"quiz", "scenarios"}, {"answers", json::object()}}).status ==
      404);
  CHECK(send(fixture, fixture.student, {{"quiz", "02-coalescing"}}).status == 400);
  CHECK(send(fixture, fixture.student, {{"quiz", "02-coalescing"}, {"answers", "8"}}).status ==
        400);
}

TEST_CASE("the export of quizzes has the best result of each student") {
  ClassFixture fixture;
  const json answers = right_answers("02-coalescing");
  json one = json::object();
  one["stride-2"] = "8";
  for (const json& sent : {one, answers, json::object()})
    send(fixture, fixture.student, {{"quiz", "02-coalescing"}, {"answers", sent}});
  const Asked asked =
      fixture.ask("GET", "/api/v1/classes/gpu/exports/quizzes.csv", fixture.instructor, json());
  REQUIRE(asked.status == 200);
  const std::string& csv = asked.response.body;
  CHECK(
      csv.starts_with("student,name,email,number,section,quiz,right,questions,received,sent\r\n"));
  CHECK(csv.find(fmt::format("02-coalescing,{0},{0},", answers.size())) != std::string::npos);
  CHECK(csv.find(",3\r\n") != std::string::npos);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 2);
}

}  // namespace ridge::leaderboard
