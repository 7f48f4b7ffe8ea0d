#include "harness/tune/space.h"

#include <fstream>
#include <sstream>

#include "tests/catch.h"

using namespace ridge;
using tune::Space;
using tune::Values;

namespace {

const char* const kFile =
    "// The lines that begin with `tune:` name what each may be.\n"
    "constexpr int kTileM = 128;  // tune: 64, 128, 256      rows of C a block\n"
    "static constexpr unsigned kStages = 3;  // tune: 2 3 4\n"
    "  constexpr bool kPadded = true;  // tune: false, true\n"
    "constexpr int kFixed = 7;  // not tuned\n"
    "int x = kStages;\n";

std::string complaint_about(const std::string& text) {
  try {
    const Space space(text);
    return "";
  } catch (const tune::DeclarationError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE(
    "constants with a tune comment are parameters, with their values in order and the "
          "current one") {
  const Space space(kFile);
  REQUIRE(space.parameters().size() == 3);
  CHECK(space.parameters()[0].name == "kTileM");
  CHECK(space.parameters()[0].values == Values{64, 128, 256});
  CHECK(space.parameters()[0].line == 2);
  CHECK(space.parameters()[1].values == Values{2, 3, 4});
  CHECK(space.parameters()[2].boolean);
  CHECK(space.current() == Values{128, 3, 1});
  CHECK(space.size() == 18);
  CHECK(space.all().size() == 18);
  CHECK(space.all().front() == Values{64, 2, 0});
  CHECK(space.all().back() == Values{256, 4, 1});
}

TEST_CASE("other values change only their places in the file") {
  const Space space(kFile);
  CHECK(space.text_with(space.current()) == kFile);
  const std::string text = space.text_with({64, 4, 0});
  CHECK_THAT(text,
             Catch::Contains("constexpr int kTileM = 64;  // tune: 64, 128, 256      rows of C a block\n"));
  CHECK_THAT(text, Catch::Contains("kStages = 4;") && Catch::Contains("kPadded = false;"));
  CHECK(Space(text).current() == Values{64, 4, 0});
  CHECK(Space(text).text_without_values() == space.text_without_values());
  CHECK(Space(text + " ").text_without_values() != space.text_without_values());
  CHECK(space.describe({64, 4, 0}) == "kTileM = 64, kStages = 4, kPadded = false");
}

TEST_CASE("a current value that is not in its list is tried too") {
  const Space space("constexpr int kStages = 5;  // tune: 2, 3\n");
  CHECK(space.parameters()[0].values == Values{2, 3, 5});
  CHECK(space.current() == Values{5});
}

TEST_CASE("a space can be restricted to some values of a constant, and reports what it does not "
          "have") {
  Space space(kFile);
  space.restrict_to("kTileM", Values{256, 64});
  CHECK(space.size() == 12);
  CHECK(space.parameters()[0].values == Values{64, 256});
  space.restrict_to("kStages", Values{3});
  CHECK(space.current()[1] == 3);
  CHECK_THROWS_WITH(space.restrict_to("kTileN", Values{1}),
                    "the file tunes no kTileN; it tunes kTileM, kStages, kPadded");
  CHECK_THROWS_WITH(space.restrict_to("kStages", Values{9}), Catch::Contains("line 3 does not list it"));
}

TEST_CASE("an invalid declaration is reported with its line and the correct form") {
  struct Case {
    const char* text;
    const char* says;
  };
  for (const Case& c :
       {Case{"int a = 1;  // tune: 1, 2\n", "line 1: `// tune:` must stand behind one constant"},
        {"\nconstexpr int a = b + 1;  // tune: 1, 2\n", "line 2: `// tune:` must stand behind"},
        {"constexpr int a = 1, b = 2;  // tune: 1\n", "behind one constant"},
        {"constexpr int a = b;  // tune: 1\n", "a is b, which is neither"},
        {"constexpr int a = 1;  // tune: small, large\n", "a has no values to try"},
        {"constexpr int a = 1;  // tune: 1, true\n", "mixed"},
        {"constexpr bool a = true;  // tune: 1, 2\n", "tried as something else"},
        {"constexpr int a = 1;  // tune: 2\nconstexpr int a = 1;  // tune: 2\n",
         "a is declared on line 1 too"}}) {
    INFO(c.text);
    CHECK_THAT(complaint_about(c.text), Catch::Contains(c.says));
    CHECK_THAT(complaint_about(c.text), Catch::Contains("constexpr int kStages = 2;  // tune: 2, 3, 4"));
  }
}

TEST_CASE("a file without such comments has no parameters and no settings") {
  const Space space("int main() {}\n// tune: is a word here\n");
  CHECK(space.parameters().empty());
  CHECK(space.size() == 0);
  CHECK(space.all().empty());
}

TEST_CASE("the course's own tuned rung, skeleton and reference, declares one space") {
  const auto read = [](const char* tree) {
    std::ifstream file(std::string(RIDGE_SOURCE_DIR) + "/" + tree + "/05-gemm-float32/9-autotuned.cu");
    std::ostringstream text;
    text << file.rdbuf();
    return Space(text.str());
  };
  const Space skeleton = read("labs"), solution = read("solutions");
  REQUIRE(skeleton.parameters().size() == 6);
  for (size_t i = 0; i < 6; ++i) {
    CHECK(skeleton.parameters()[i].name == solution.parameters()[i].name);
    CHECK(skeleton.parameters()[i].values == solution.parameters()[i].values);
  }
  CHECK(skeleton.current() != solution.current());
}
