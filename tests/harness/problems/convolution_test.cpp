// Convolution problems: which sizes are possible, and that references are the plain sums.
#include <algorithm>
#include <cmath>

#include "harness/grade/case_plan.h"
#include "harness/problems/compare.h"
#include "harness/problems/convolution/shape.h"
#include "tests/catch.h"

using namespace ridge::problems;

namespace {

// One output of the definition, in double.
double output_of(const Case& given, int64_t image, int64_t p, int64_t q, int64_t k) {
  const ConvolutionShape s(given.sizes);
  double sum = 0;
  for (int64_t i = 0; i < s.r; ++i)
    for (int64_t j = 0; j < s.r; ++j) {
      const int64_t row = p * s.stride + i - s.padding, column = q * s.stride + j - s.padding;
      if (row < 0 || row >= s.h || column < 0 || column >= s.w) continue;
      for (int64_t c = 0; c < s.c; ++c)
        sum += load_element(Type::bfloat16, given.initial[0].data(), ((image * s.h + row) * s.w + column) * s.c + c) *
               load_element(Type::bfloat16, given.initial[1].data(), ((k * s.r + i) * s.r + j) * s.c + c);
    }
  return sum;
}

}  // namespace

TEST_CASE("a convolution's reference is the sum over the filter's points and the channels") {
  const Problem& problem = find_problem("convolution");
  for (const Sizes& sizes : problem.edge_sizes) {
    INFO(describe(problem, sizes));
    const Case given = make_case(problem, sizes, Draw::uniform, 7);
    const ConvolutionShape s(sizes);
    const Expected y = problem.reference(given).front();
    int differences = 0;
    for (int64_t at = 0; at < s.pixels() * s.k; at += 7) {
      const int64_t pixel = at / s.k;
      const double value = output_of(given, pixel / (s.p() * s.q()), pixel / s.q() % s.p(), pixel % s.q(), at % s.k);
      differences += std::fabs(value - y.value[static_cast<size_t>(at)]) > 1e-9 * (1 + std::fabs(value));
    }
    CHECK(differences == 0);
  }
}

TEST_CASE("a sum rounded to bf16 at each point of the filter is wrong") {
  const Problem& problem = find_problem("convolution");
  const Case given = make_case(problem, {1, 6, 6, 64, 8, 5, 1, 2}, Draw::uniform, 3);
  const Expected y = problem.reference(given).front();
  int wrong = 0;
  for (size_t at = 0; at < y.value.size(); ++at)
    wrong += std::fabs(y.value[at]) * unit_roundoff(Type::bfloat16) * 4 > static_cast<double>(y.tolerance[at]);
  CHECK(wrong > static_cast<int>(y.value.size()) / 2);
}

TEST_CASE("every mistaken reading of a convolution has an answer of its own") {
  const Problem& problem = find_problem("convolution");
  const Case given = make_case(problem, {2, 6, 5, 72, 8, 3, 2, 1}, Draw::uniform, 11);
  std::vector<Expected> answers = problem.reference(given);
  REQUIRE(problem.mistakes.size() == 15);
  for (const Mistake& mistake : problem.mistakes) {
    Expected answer = mistake.result(given).front();
    for (size_t i = 0; i < answers.size(); ++i) {
      INFO(mistake.finding << " and answer " << i);
      CHECK(answer.value != answers[i].value);
    }
    answers.push_back(std::move(answer));
  }
}

TEST_CASE("a filter that is turned around meets the last pixel with its first weight") {
  const Problem& problem = find_problem("convolution");
  const Case given = make_case(problem, {1, 3, 3, 8, 8, 3, 1, 0}, Draw::uniform, 4);  // one output pixel
  const auto turned = std::find_if(problem.mistakes.begin(), problem.mistakes.end(), [](const Mistake& mistake) {
    return mistake.finding == "wrong.filter_turned_around";
  });
  REQUIRE(turned != problem.mistakes.end());
  const Expected y = turned->result(given).front();
  double sum = 0;
  for (int64_t point = 0; point < 9; ++point)
    for (int64_t c = 0; c < 8; ++c)
      sum += load_element(Type::bfloat16, given.initial[0].data(), (8 - point) * 8 + c) *
             load_element(Type::bfloat16, given.initial[1].data(), point * 8 + c);
  CHECK(y.value[0] == Approx(sum));
}

TEST_CASE("impossible sizes of a convolution are named, with the nearest that are possible") {
  const Problem& problem = find_problem("convolution");
  CHECK(complaint_about(problem, {1, 2, 2, 8, 8, 7, 2, 3}) == "");
  CHECK(complaint_about(problem, {1, 2, 2, 8, 8, 7, 2, 2}).find("h = 3, w = 3") != std::string::npos);
  CHECK(complaint_about(problem, {1, 9, 9, 8, 8, 9, 1, 0}).find("r = 7") != std::string::npos);
  CHECK(complaint_about(problem, {1, 9, 9, 8, 8, 3, 1, -1}).find("from 0 to") != std::string::npos);
  CHECK(complaint_about(problem, {1, 9, 9, 4, 8, 3, 1, 0}).find("from 8 to") != std::string::npos);
  CHECK(complaint_about(find_problem("filter_1d"), {4, 7, 1, 1}).find("n = 5") != std::string::npos);
}

TEST_CASE("hidden sizes of convolutions are possible, and have every stride and padding") {
  for (const char* id : {"convolution", "filter_1d"}) {
    const Problem& problem = find_problem(id);
    Random random(5);
    bool none = false, most = false;
    for (int i = 0; i < 200; ++i) {
      const Sizes sizes = ridge::grade::hidden_sizes(problem, random);
      CHECK(complaint_about(problem, sizes) == "");
      none |= sizes.back() == 0;
      most |= sizes.back() == kLargestPadding;
    }
    CHECK(none);
    CHECK(most);
  }
}

TEST_CASE("the outputs of a filter are its places") {
  CHECK(outputs_along(28, 3, 1, 1) == 28);
  CHECK(outputs_along(28, 3, 2, 1) == 14);
  CHECK(outputs_along(224, 7, 2, 3) == 112);
  CHECK(outputs_along(1, 7, 1, 3) == 1);
}

TEST_CASE("a stencil's reference turns nothing around and has zeros outside") {
  const Problem& problem = find_problem("stencil");
  const Case given = make_case(problem, {5, 8}, Draw::uniform, 2);
  const auto x = given.input<float>(0), weights = given.input<float>(1);
  const Expected y = problem.reference(given).front();
  const double corner = static_cast<double>(weights[4]) * static_cast<double>(x[0]) +
                        static_cast<double>(weights[5]) * static_cast<double>(x[1]) +
                        static_cast<double>(weights[7]) * static_cast<double>(x[8]) +
                        static_cast<double>(weights[8]) * static_cast<double>(x[9]);
  CHECK(std::fabs(y.value[0] - corner) < 1e-12);
}
