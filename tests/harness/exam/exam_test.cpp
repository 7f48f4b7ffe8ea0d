// Exams: the numbers follow from the secret, and every answer can be computed.
#include "harness/exam/exam.h"

#include <set>

#include "tests/catch.h"

using namespace ridge;

namespace {

const std::vector<exam::Template>& templates() {
  static const auto all = exam::load_templates(RIDGE_SOURCE_DIR);
  return all;
}

exam::Template asked_about(course::ComputedAnswer computed) {
  exam::Template asked;
  asked.id = "a";
  asked.text = "s is {s}, {t}";
  asked.why = "{answer}";
  asked.draw = {{"s", {2, 2}}, {"t", {256, 256}}};
  asked.computed = std::move(computed);
  return asked;
}

}  // namespace

TEST_CASE("there are thirty exam questions, from every lab that has a chapter of exercises") {
  std::set<std::string> topics;
  for (const exam::Template& asked : templates())
    topics.insert(asked.topic.substr(0, 2));
  CHECK(templates().size() >= 30);
  CHECK(topics == std::set<std::string>{"01", "02", "03", "04", "05", "06"});
}

TEST_CASE(
    "every exam question has an answer for every secret, and answers differ between classes") {
  for (const exam::Template& asked : templates()) {
    std::set<std::string> texts, answers;
    for (int secret = 0; secret < 60; ++secret) {
      const exam::Question question = exam::draw(asked, "class-" + std::to_string(secret));
      INFO(asked.id << ": " << question.text << " -> " << question.answer);
      CHECK(question.text.find('{') == std::string::npos);
      CHECK(question.why.find('{') == std::string::npos);
      CHECK(question.answer !=
            "0 " + asked.unit);  // a block that does not fit, or a trivial question
      if (asked.within_percent == 0) CHECK(question.answer.find('.') == std::string::npos);
      texts.insert(question.text);
      answers.insert(question.answer);
    }
    INFO(asked.id);
    CHECK(texts.size() >= 4);
    CHECK(answers.size() >= 3);
  }
}

TEST_CASE("the same secret gives the same exam") {
  for (const exam::Template& asked : templates())
    CHECK(exam::draw(asked, "x").text == exam::draw(asked, "x").text);
}

TEST_CASE("answers of exam questions are those worked out by hand") {
  course::ComputedAnswer sectors;
  sectors.model = "sectors";
  sectors.address = "lane * s * 4";
  CHECK(exam::draw(asked_about(sectors), "x").answer == "8");
  CHECK(exam::draw(asked_about(sectors), "x").text == "s is 2, 256");

  course::ComputedAnswer quotient;
  quotient.model = "arithmetic";
  quotient.value = "t + 1";
  quotient.over = "s";
  exam::Template inexact = asked_about(quotient);
  inexact.within_percent = 1;
  CHECK(exam::draw(inexact, "x").answer == "128.5");

  course::ComputedAnswer lanes;
  lanes.model = "lanes";
  lanes.where = "lane * 8 % 32 == 0";
  exam::Template about_lanes = asked_about(lanes);
  about_lanes.kind = course::QuestionKind::lanes;
  CHECK(exam::draw(about_lanes, "x").why == "lanes 0, 4, 8, 12, 16, 20, 24, 28");

  course::ComputedAnswer warps;
  warps.model = "warps_per_sm";
  exam::Template about_occupancy =
      asked_about(warps);  // 02/6 in course/concepts/10: 5 blocks of 8 warps
  about_occupancy.threads = "t";
  about_occupancy.registers = "45";
  about_occupancy.shared_bytes = "16 * 1024";
  CHECK(exam::draw(about_occupancy, "x").answer == "40");
}

TEST_CASE("an expression or a model that is not understood is an error") {
  course::ComputedAnswer computed;
  computed.model = "sectors";
  computed.address = "lane * unknown";
  CHECK_THROWS_AS(exam::draw(asked_about(computed), "x"), exam::ComputeError);
  computed = {};
  computed.model = "weather";
  computed.address = "lane";
  CHECK_THROWS_AS(exam::draw(asked_about(computed), "x"), exam::ComputeError);
}
