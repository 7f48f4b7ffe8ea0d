#include "virtual_gpu/runtime/binary/ptx_link.h"

#include <set>

#include "tests/catch.h"
#include "virtual_gpu/ptx/parser.h"
#include "virtual_gpu/runtime/binary/load_error.h"

using namespace ridge;

namespace {

const char* const kHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n";

ptx::Module module(const std::string& body) {
  return ptx::parse(kHeader + body);
}

ptx::Module link_two(const std::string& a, const std::string& b) {
  std::vector<ptx::Module> modules;
  modules.push_back(module(a));
  modules.push_back(module(b));
  return runtime::link(std::move(modules));
}

}  // namespace

TEST_CASE("A definition in one module serves the declaration in another, in either order") {
  const std::string user =
      ".extern .global .align 4 .u32 counter;\n.extern .func helper();\n"
      ".visible .entry kernel() { call helper, (); ret; }\n";
  const std::string owner = ".visible .global .align 4 .u32 counter = 7;\n.visible .func helper() { ret; }\n";
  for (const ptx::Module& linked : {link_two(user, owner), link_two(owner, user)}) {
    REQUIRE(linked.variables.size() == 1);
    CHECK_FALSE(linked.variables[0].is_extern);
    REQUIRE(linked.functions.size() == 2);
    for (const ptx::Function& function : linked.functions)
      CHECK_FALSE(function.is_declaration);
  }
}

TEST_CASE("Names that only their module sees stay apart, and uses follow") {
  const std::string first =
      ".global .align 4 .u32 own = 1;\n.visible .entry a() { .reg .b32 %r<2>; ld.global.u32 %r1, [own]; ret; "
      "}\n";
  const std::string second =
      ".global .align 4 .u32 own = 2;\n.visible .entry b() { .reg .b32 %r<2>; ld.global.u32 %r1, [own]; ret; "
      "}\n";
  ptx::Module linked = link_two(first, second);
  REQUIRE(linked.variables.size() == 2);
  CHECK(linked.variables[0].name != linked.variables[1].name);
  CHECK(linked.functions[0].instructions[0].operands[1].name == linked.variables[0].name);
  CHECK(linked.functions[1].instructions[0].operands[1].name == linked.variables[1].name);
  // Lines of the second text come after the first's.
  CHECK(linked.functions[1].instructions[0].ptx_line > linked.functions[0].instructions[0].ptx_line);
  CHECK(linked.ptx_lines.at(linked.functions[1].instructions[0].ptx_line - 1).find("entry b") !=
        std::string::npos);
}

TEST_CASE("A variable that nobody defines is named") {
  CHECK_THROWS_WITH(link_two(".extern .global .align 4 .u32 lost;\n", ".visible .entry k() { ret; }\n"),
                    Catch::Matchers::Contains("lost"));
}
