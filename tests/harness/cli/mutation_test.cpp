// Mistakes made by machine: which there are, and that comments, texts and the preprocessor stay as they are.
#include "harness/cli/course_checks/mutants/mutation.h"

#include <set>

#include "harness/cli/course_checks/mutants/mutant_check.h"
#include "harness/cli/course_checks/mutants/further_sizes.h"
#include "harness/cli/course_checks/mutants/todo_left.h"
#include "harness/problems/problem.h"
#include "tests/catch.h"

using namespace ridge::cli;

namespace {

std::set<std::string> lines_after(std::string_view source, const std::string& kind) {
  std::set<std::string> lines;
  for (const Mutation& mutation : mutations_of(source))
    if (mutation.kind == kind) lines.insert(mutation.after);
  return lines;
}

}  // namespace

TEST_CASE("each kind of mutation is made in the code that it applies to") {
  struct Row {
    const char* source;
    const char* kind;
    std::set<std::string> after;
  };
  const Row rows[] = {
      {"  __syncthreads();\n", "statement deleted", {";"}},
      {"  const int i = 1;\n  return;\n", "statement deleted", {}},
      {"  c[i] = a +\n         b;\n", "statement deleted", {}},
      {"  if (i < n) c[i] = 0;\n", "guard removed", {"if (true) c[i] = 0;"}},
      {"  if (f(a) && b) g();\n", "guard removed", {"if (true) g();"}},
      {"  x = a < b;\n", "operator swapped", {"x = a <= b;"}},
      {"  kernel<<<1, 2>>>();\n", "operator swapped", {}},
      {"  x = y + z * w;\n", "operator swapped", {"x = y - z * w;", "x = y + z + w;"}},
      {"  x = 8;\n", "constant changed", {"x = 9;", "x = 4;"}},
      {"  x = 0.5f + float4_of(v2);\n", "constant changed", {}},
      {"  x = t[a][b];\n", "indices swapped", {"x = t[b][a];"}},
      {"  x = t[i];\n", "index shifted", {"x = t[i + 1];"}},
      {"  __shared__ float t[32];\n", "index shifted", {}},
      {"  i = threadIdx.x;\n", "indices swapped", {"i = threadIdx.y;"}},
      {"// x = y + 1; x < 2\n#define A (1 + 2)\n/* a < b */\n", "operator swapped", {}},
      {"  print(\"a < b, 3 + 4\");\n", "operator swapped", {}},
  };
  for (const Row& row : rows) {
    INFO(row.source << " " << row.kind);
    CHECK(lines_after(row.source, row.kind) == row.after);
  }
}

TEST_CASE("a mutation changes only its line and names it") {
  const std::string source = "int a() {\n  x = 1;\n  y = 2;\n}\n";
  for (const Mutation& mutation : mutations_of(source)) {
    CHECK(mutation.before != mutation.after);
    CHECK((mutation.line == 2 || mutation.line == 3));
    CHECK(mutation.source != source);
    CHECK(mutation.source.substr(0, 10) == source.substr(0, 10));
  }
}

TEST_CASE("the caught fraction excludes mutants that are no mistake") {
  const auto with = [](Fate fate) {
    Mutant mutant;
    mutant.fate = fate;
    return mutant;
  };
  CHECK(part_caught({}) == 1);
  CHECK(part_caught({with(Fate::stillborn), with(Fate::same_code), with(Fate::explained)}) == 1);
  CHECK(part_caught({with(Fate::caught), with(Fate::survived), with(Fate::explained)}) == 0.5);
}

TEST_CASE("a kept TODO is the solution with the skeleton's lines in one place") {
  const std::string skeleton =
      "// A lesson.\nint f() {\n  int a = 0;\n  // TODO: count.\n  return a;\n}\nint g() {\n  return 1;  // TODO\n}\n";
  const std::string solution =
      "// A lesson, solved.\nint f() {\n  int a = 0;\n  for (;;)\n    ++a;  // so\n  return a;\n}\nint g() {\n  return 2;\n}\n";
  const auto left = todos_left(skeleton, solution);
  REQUIRE(left.size() == 2);
  CHECK(left[0].source ==
        "// A lesson, solved.\nint f() {\n  int a = 0;\n  return a;\n}\nint g() {\n  return 2;\n}\n");
  CHECK(left[0].line == 4);
  CHECK(left[1].source ==
        "// A lesson, solved.\nint f() {\n  int a = 0;\n  for (;;)\n    ++a;  // so\n  return a;\n}\nint g() "
        "{\n  return 1;  // TODO\n}\n");
  CHECK(todos_left(solution, solution).empty());
  CHECK(todos_without_difference(skeleton, solution).empty());
  CHECK(todos_without_difference(skeleton, skeleton) == std::vector<size_t>{4, 8});
}

TEST_CASE("further sizes include the counted one and sizes around the constants of the source") {
  ridge::course::Rung rung;
  rung.virtual_size = {256, 256, 128};
  const auto& problem = ridge::problems::find_problem("gemm_bf16");
  const auto sizes = further_sizes(rung, problem, "constexpr int kTile = 128, kTileK = 48;", 1);
  REQUIRE(sizes.size() > 20);
  CHECK(sizes.front() == rung.virtual_size);
  size_t around = 0;
  for (size_t i = 1; i < sizes.size(); ++i) {
    CHECK(ridge::problems::complaint_about(problem, sizes[i]).empty());
    CHECK(sizes[i][0] * sizes[i][1] * sizes[i][2] <= int64_t{1} << 21);
    for (const int64_t extent : sizes[i])
      around += extent >= 128 && extent % 128 <= 8 ? 1 : 0;
  }
  CHECK(around >= 3);
}
