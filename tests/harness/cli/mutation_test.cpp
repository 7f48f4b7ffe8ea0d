// Mistakes made by machine: which there are, and that comments, texts and the preprocessor stay as they are.
#include "harness/cli/course_checks/mutants/mutation.h"

#include <set>

#include "harness/cli/course_checks/mutants/mutant_check.h"
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

TEST_CASE("each kind of mistake is made in the code that it belongs to") {
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

TEST_CASE("a mutation changes its line alone and names it") {
  const std::string source = "int a() {\n  x = 1;\n  y = 2;\n}\n";
  for (const Mutation& mutation : mutations_of(source)) {
    CHECK(mutation.before != mutation.after);
    CHECK((mutation.line == 2 || mutation.line == 3));
    CHECK(mutation.source != source);
    CHECK(mutation.source.substr(0, 10) == source.substr(0, 10));
  }
}

TEST_CASE("the part that is caught leaves out what is no mistake") {
  const auto with = [](Fate fate) {
    Mutant mutant;
    mutant.fate = fate;
    return mutant;
  };
  CHECK(part_caught({}) == 1);
  CHECK(part_caught({with(Fate::stillborn), with(Fate::same_code), with(Fate::explained)}) == 1);
  CHECK(part_caught({with(Fate::caught), with(Fate::survived), with(Fate::explained)}) == 0.5);
}
