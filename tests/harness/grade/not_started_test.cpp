// Which changes make a file another one than the skeleton, and what is said of one that is not begun.
#include "harness/grade/diagnosis/not_started.h"

#include "tests/catch.h"

using namespace ridge;

namespace {

constexpr const char* kSkeleton =
    "#include <cuda_runtime.h>\n"
    "// TODO (2 lines): find the element,\n"
    "// and add it.\n"
    "//\n"
    "// Not part of it.\n"
    "__global__ void add(const float* a, float* c, int n) {}\n"
    "constexpr int kThreads = 256;  // TODO: more?\n"
    "const char* kText = \"a // b\";\n";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kSkeleton;
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string with_line_ends(const std::string& end) {
  std::string text;
  for (const char letter : std::string(kSkeleton))
    text += letter == '\n' ? end : std::string(1, letter);
  return text;
}

course::Rung rung() {
  course::Rung rung;
  rung.lab = "01-kernel-basics";
  rung.name = "1-vector-add";
  rung.title = "Vector add";
  rung.idea = "One thread per element.";
  rung.skeleton_code_sha256 = grade::code_sha256(kSkeleton);
  return rung;
}

}  // namespace

TEST_CASE("comments, white space and line ends do not count as a start, and code does") {
  struct Row {
    const char* what;
    std::string text;
    bool untouched;
  };
  const Row rows[] = {
      {"as it is", kSkeleton, true},
      {"CRLF", with_line_ends("\r\n"), true},
      {"old line ends", with_line_ends("\r"), true},
      {"a byte order mark", std::string("\xef\xbb\xbf") + kSkeleton, true},
      {"another comment", changed("// TODO (2 lines): find the element,", "// I thought about it"), true},
      {"a comment in the code", changed("void add(", "void /* here */ add  ("), true},
      {"a comment that is not closed at the end", std::string(kSkeleton) + "/* later", true},
      {"an empty line", changed("__global__", "\n\n  __global__"), true},
      {"a body over two lines", changed("{}", "{\n}"), true},
      {"a continued comment", changed("// Not part", "// c[0] = 1; \\\n// Not part"), true},
      {"code that is commented out", changed("{}", "{ /* c[0] = 1; */ }"), true},
      {"a statement", changed("{}", "{ c[0] = 1; }"), false},
      {"a number", changed("256", "128"), false},
      {"a name", changed("void add", "void sum"), false},
      {"a string", changed("a // b", "a // c"), false},
      {"white space in a string", changed("a // b", "a  // b"), false},
      {"words that grow together", changed("constexpr int", "constexprint"), false},
      {"an operator of two marks", changed("= 256", "= - -256"), false},
      {"a directive that ends earlier", changed("#include <cuda_runtime.h>", "#include\n<cuda_runtime.h>"),
       false},
      {"nothing", "", false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(grade::is_untouched(rung(), row.text) == row.untouched);
    CHECK(grade::not_started(rung(), row.text, "file.cu").has_value() == row.untouched);
  }
}

TEST_CASE("Minus signs apart are not --, and a raw string and a digit separator are read as the compiler reads them") {
  CHECK(grade::code_of("a - -b") != grade::code_of("a --b"));
  CHECK(grade::code_of("a - b") == grade::code_of("a-b"));
  CHECK(grade::code_of("R\"x(// not a comment)x\"; // a comment") == "R\"x(// not a comment)x\";");
  CHECK(grade::code_of("int n = 1'000; // it's") == "int n=1'000;");
  CHECK(grade::code_of("'\"'; // \"") == "'\"';");
  CHECK(grade::code_of("#define A 1\nA") == "#define A 1\nA");
  CHECK(grade::code_of("#define A 1 \\\n + 2\nA") == "#define A 1+2\nA");
}

TEST_CASE("every place to fill in is listed with its line and complete text") {
  const auto todos = grade::todos_in(kSkeleton);
  REQUIRE(todos.size() == 2);
  CHECK(todos[0].line == 2);
  CHECK(todos[0].text == "TODO (2 lines): find the element, and add it.");
  CHECK(todos[1].line == 7);
  CHECK(todos[1].text == "TODO: more?");
  const auto block = grade::todos_in("int a; /* TODO: one\r\n * two */ int b;\n/* TODO three */ // four\n");
  REQUIRE(block.size() == 2);
  CHECK(block[0].text == "TODO: one two");
  CHECK(block[1].text == "TODO three");
  CHECK(block[1].line == 3);
}

TEST_CASE("an unchanged skeleton gets the task, the places and the next step") {
  const auto outcome = grade::not_started(rung(), kSkeleton, "labs/01-kernel-basics/1-vector-add.cu");
  REQUIRE(outcome);
  CHECK(outcome->verdict == grade::Verdict::not_started);
  CHECK(outcome->summary == "Vector add: One thread per element.");
  CHECK_THAT(outcome->detail, Catch::Contains("There are 2 places to fill in"));
  CHECK_THAT(outcome->detail, Catch::Contains("labs/01-kernel-basics/1-vector-add.cu:2: TODO (2 lines)"));
  CHECK_THAT(outcome->next, Catch::Contains("ridge hint 01-kernel-basics/1-vector-add"));
  std::string bare = changed("// TODO (2 lines): find the element,\n// and add it.\n", "");
  bare.replace(bare.find("// TODO: more?"), 14, "");
  const auto without_marks = grade::not_started(rung(), bare, "file.cu");
  REQUIRE(without_marks);
  CHECK_THAT(without_marks->detail, Catch::Contains("`ridge reset 01-kernel-basics/1-vector-add`"));
}

TEST_CASE("without a recorded skeleton no file counts as unchanged") {
  course::Rung unknown = rung();
  unknown.skeleton_code_sha256.clear();
  CHECK_FALSE(grade::is_untouched(unknown, kSkeleton));
  CHECK_FALSE(grade::is_untouched(unknown, ""));
}

TEST_CASE("files that are not started or skipped are not graded") {
  CHECK_FALSE(grade::graded(grade::Verdict::not_started));
  CHECK_FALSE(grade::graded(grade::Verdict::skipped));
  CHECK(grade::graded(grade::Verdict::compile_error));
  CHECK(grade::graded(grade::Verdict::gold));
  CHECK_FALSE(grade::passed(grade::Verdict::not_started));
}
