// The course's quizzes: every figure in them is computed anew, and each lab has the questions it must have.
#include <algorithm>
#include <map>
#include <set>

#include "harness/course/quiz.h"
#include "harness/tune/constants.h"
#include "tests/catch.h"
#include "warp_model/access.h"
#include "warp_model/device.h"
#include "warp_model/occupancy.h"

using namespace ridge;
using course::ComputedAnswer;
using course::Question;
using course::QuestionKind;

namespace {

const std::vector<course::Quiz>& quizzes() {
  static const auto all = course::load_quizzes(RIDGE_SOURCE_DIR);
  return all;
}

int64_t value_of(const std::string& expression, int64_t lane = 0) {
  const auto value = tune::evaluate(expression, {{"lane", lane}});
  INFO("expression: " << expression);
  REQUIRE(value);
  return *value;
}

double memory_cost(const ComputedAnswer& computed) {
  uint64_t addresses[32];
  for (int lane = 0; lane < 32; ++lane)
    addresses[lane] = static_cast<uint64_t>(value_of(computed.address, lane));
  const auto bytes = static_cast<uint32_t>(computed.bytes);
  using namespace warp_model;
  if (computed.model == "sectors") return global_cost(addresses, kFullMask, bytes).sectors;
  if (computed.model == "load_wavefronts")
    return shared_load_cost(addresses, kFullMask, bytes).wavefronts;
  return shared_cost(addresses, kFullMask, bytes).wavefronts;
}

double computed_value(const ComputedAnswer& computed) {
  if (computed.model == "arithmetic")
    return static_cast<double>(value_of(computed.value)) /
           static_cast<double>(computed.over.empty() ? 1 : value_of(computed.over));
  if (computed.model == "blocks_per_sm") {
    warp_model::BlockResources block;
    block.threads_per_block = static_cast<uint32_t>(computed.threads);
    block.registers_per_thread = static_cast<uint32_t>(computed.registers);
    block.static_shared_bytes = static_cast<uint32_t>(computed.shared_bytes);
    return warp_model::occupancy(*warp_model::find_device("H200"), block).blocks_per_sm;
  }
  static const std::set<std::string> kMemory = {"sectors", "load_wavefronts", "store_wavefronts"};
  INFO("model: " << computed.model);
  REQUIRE(kMemory.contains(computed.model));
  return memory_cost(computed);
}

uint32_t computed_lanes(const ComputedAnswer& computed) {
  REQUIRE(computed.model == "lanes");
  uint32_t lanes = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (value_of(computed.where, lane) != 0) lanes |= 1u << lane;
  return lanes;
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
        CHECK(computed_lanes(*question.computed) == question.lanes);
      } else {
        const double value = computed_value(*question.computed);
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

TEST_CASE("labs 01 to 06 have eight questions or more, three of them on a picture or a table") {
  std::map<std::string, const course::Quiz*> by_number;
  for (const course::Quiz& quiz : quizzes())
    by_number[quiz.name.substr(0, 2)] = &quiz;
  for (const char* lab : {"01", "02", "03", "04", "05", "06"}) {
    INFO("lab " << lab);
    REQUIRE(by_number.contains(lab));
    const auto& questions = by_number[lab]->questions;
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
