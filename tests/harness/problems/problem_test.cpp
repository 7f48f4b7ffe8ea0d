// Every problem's declaration agrees with itself.
#include "harness/problems/problem.h"

#include <cmath>
#include <set>

#include "harness/problems/inputs.h"
#include "tests/catch.h"

using namespace ridge::problems;

TEST_CASE("every problem's references, buffers and sizes agree") {
  for (std::string_view id : problem_ids()) {
    const Problem& problem = find_problem(id);
    INFO(id);
    REQUIRE(problem.id == id);
    CHECK(problem.edge_sizes.size() >= 15);
    CHECK(problem.hidden_limit.size() == problem.size_names.size());
    int64_t edge_elements = 0;
    for (const Sizes& sizes : problem.edge_sizes) {
      CHECK(complaint_about(problem, sizes) == "");
      Case given = make_case(problem, sizes, Draw::uniform, 1);
      std::set<size_t> written;
      for (const Expected& expected : problem.reference(given)) {
        const Buffer& buffer = given.buffers.at(expected.buffer);
        CHECK(buffer.written());
        CHECK(static_cast<int64_t>(expected.value.size()) == buffer.elements());
        CHECK((expected.tolerance.empty() || expected.tolerance.size() == expected.value.size()));
        written.insert(expected.buffer);
      }
      for (size_t i = 0; i < given.buffers.size(); ++i) {
        CHECK(written.contains(i) == given.buffers[i].written());
        CHECK(static_cast<int64_t>(given.initial[i].size()) ==
              (given.buffers[i].read() ? given.buffers[i].bytes() : 0));
        edge_elements += given.buffers[i].elements();
      }
    }
    // All edge sizes together take a fraction of a second on the virtual GPU.
    CHECK(edge_elements < 250'000);
  }
}

TEST_CASE("bytes and operations equal the formulas") {
  struct Row {
    const char* id;
    Sizes sizes;
    double bytes, operations;
  };
  const Row rows[] = {
      {"vector_add", {1000}, 12'000, 1000},   {"saxpy", {1000}, 12'000, 2000},
      {"scale", {1000}, 8'000, 1000},         {"scale_rows", {10, 100}, 8'040, 1000},
      {"split_particles", {1000}, 32'000, 0}, {"transpose", {10, 100}, 8'000, 0},
      {"softmax", {10, 100}, 8'000, 5000},    {"rms_norm", {10, 100}, 8'400, 4000},
  };
  for (const Row& row : rows) {
    const Problem& problem = find_problem(row.id);
    INFO(row.id);
    CHECK(bytes_moved(problem, row.sizes) == row.bytes);
    CHECK(problem.operations(row.sizes) == row.operations);
  }
}

TEST_CASE("the references of collectives place and add what each rank has") {
  const auto reference = [](const char* id, const Sizes& sizes, Case& given) {
    given = make_case(find_problem(id), sizes, Draw::uniform, 2);
    return given.problem->reference(given);
  };
  Case given;
  const auto passed_on = reference("peer_copy", {4, 3}, given);
  CHECK(passed_on[3].buffer == 4);  // the last rank sends to rank 0
  CHECK(passed_on[3].value[2] == static_cast<double>(given.input<float>(3)[2]));
  CHECK(given.buffers[6].device == 2);
  const auto both = reference("all_gather_reduce_scatter", {2, 3}, given);
  CHECK(both[1].value[4] == static_cast<double>(given.input<float>(1)[1]));
  // Rank 1's share are the elements from 3 on, of the inputs 4 and 5.
  CHECK(both[3].buffer == 7);
  CHECK(both[3].value[2] == static_cast<double>(given.input<float>(4)[5]) + static_cast<double>(given.input<float>(5)[5]));
  const auto sums = reference("all_reduce", {4, 3}, given);
  REQUIRE(sums.size() == 4);
  double sum = 0;
  for (size_t rank = 0; rank < 4; ++rank)
    sum += static_cast<double>(given.input<float>(rank)[1]);
  CHECK(sums[3].value[1] == sum);
  CHECK(bytes_moved(*given.problem, {4, 1000}) == 6000);  // 2 * 3/4 of 4000 bytes
}

TEST_CASE("the references of copies place elements as the header specifies") {
  Case transposed = make_case(find_problem("transpose"), {3, 5}, Draw::uniform, 2);
  Expected out = transposed.problem->reference(transposed).front();
  CHECK(out.value[4 * 3 + 2] == transposed.input<float>(0)[2 * 5 + 4]);
  Case split = make_case(find_problem("split_particles"), {7}, Draw::uniform, 2);
  Expected fields = split.problem->reference(split).front();
  CHECK(fields.value[2 * 7 + 6] == split.input<float>(0)[6 * 4 + 2]);
}

TEST_CASE("unsupported sizes of a problem are named") {
  const Problem& problem = find_problem("transpose");
  CHECK(complaint_about(problem, {8}).find("2 sizes (rows, cols), and 1") != std::string::npos);
  CHECK(complaint_about(problem, {0, 8}).find("given as 0") != std::string::npos);
  CHECK(complaint_about(problem, {int64_t{1} << 31, 1}) != "");
  CHECK(complaint_about(problem, {2'000'000'000, 2'000'000'000}).find("2^40") != std::string::npos);
  CHECK(describe(problem, {31, 33}) == "rows = 31, cols = 33");
  CHECK_THROWS_WITH(find_problem("transposed"), Catch::Contains("transpose"));
}

TEST_CASE("a seed draws the same inputs again, another seed others") {
  const Problem& problem = find_problem("saxpy");
  for (int draw = 0; draw < kDraws; ++draw) {
    Case one = make_case(problem, {500}, static_cast<Draw>(draw), 11),
         same = make_case(problem, {500}, static_cast<Draw>(draw), 11),
         other = make_case(problem, {500}, static_cast<Draw>(draw), 12);
    INFO(to_string(one.draw));
    CHECK(one.initial == same.initial);
    CHECK(one.scalars == same.scalars);
    CHECK(one.initial[0] != other.initial[0]);
    CHECK(one.initial[0] != one.initial[1]);
  }
}

TEST_CASE("each draw of inputs has the property of its name") {
  const Problem& problem = find_problem("vector_add");
  auto values = [&](Draw draw) {
    Case given = make_case(problem, {2000}, draw, 4);
    auto span = given.input<float>(0);
    return std::vector<float>(span.begin(), span.end());
  };
  auto count = [](const std::vector<float>& from, auto predicate) {
    return std::count_if(from.begin(), from.end(), predicate);
  };
  CHECK(count(values(Draw::uniform), [](float v) { return v < -1 || v > 1; }) == 0);
  CHECK(count(values(Draw::uniform), [](float v) { return v < 0; }) > 800);
  CHECK(count(values(Draw::offset), [](float v) { return v > 998; }) == 2000);
  CHECK(count(values(Draw::outliers), [](float v) { return std::fabs(v) > 100; }) > 5);
  CHECK(count(values(Draw::zeros), [](float v) { return v == 0 && std::signbit(v); }) > 300);
  CHECK(count(values(Draw::zeros), [](float v) { return v == 0 && !std::signbit(v); }) > 300);
  CHECK(count(values(Draw::denormals), [](float v) { return std::fpclassify(v) == FP_SUBNORMAL; }) > 400);
  std::vector<float> alternating = values(Draw::alternating);
  for (size_t i = 1; i < alternating.size(); ++i)
    REQUIRE(alternating[i] * alternating[i - 1] < 0);
}
