// Modules whose bodies are read when a kernel needs them.
#include <set>

#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

Module headers_of(std::string_view declarations) {
  return parse_headers(std::string(kHeader) + std::string(declarations));
}

// The functions whose bodies were not read.
std::set<std::string> unread(const Module& module) {
  std::set<std::string> names;
  for (const Function& function : module.functions)
    if (!function.unread_body.empty()) names.insert(function.name);
  return names;
}

const Function& find(const Module& module, std::string_view name) {
  for (const Function& function : module.functions)
    if (function.name == name) return function;
  FAIL("no function " << name);
  throw std::logic_error("unreachable");
}

constexpr std::string_view kCalls = R"(.func leaf()
{
	ret;
}
.func middle()
{
	call leaf, ();
	ret;
}
.func alone() { ret; }
.entry direct()
{
	{ call middle, (); }
	ret;
}
.entry pointer(.param .u64 p)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	proto : .callprototype () _ ();
	call %rd1, (), proto;
	ret;
}
.entry child() { ret; }
.entry parent()
{
	.reg .b64 %rd<3>;
	mov.u64 %rd1, child;
	ret;
}
)";

}  // namespace

TEST_CASE("a kernel's body is read together with the bodies that it can reach, and no other") {
  Module module = headers_of(kCalls);
  REQUIRE(unread(module) ==
          std::set<std::string>{"leaf", "middle", "alone", "direct", "pointer", "child", "parent"});
  parse_bodies(module, "direct");
  CHECK(unread(module) == std::set<std::string>{"alone", "pointer", "child", "parent"});
  parse_bodies(module, "parent");
  CHECK(unread(module) == std::set<std::string>{"alone", "pointer"});
  parse_bodies(module, "pointer");
  CHECK(unread(module).empty());
  parse_bodies(module, "no_such_kernel");
}

TEST_CASE(
    "a body that is read later has the lines, labels and places of one that is read at once") {
  constexpr std::string_view kText = R"(.file 1 "a.cu"
.visible .entry first(.param .u64 a) // a brace in a comment: {
.maxntid 64
{
	.reg .b32 %r<4>;
	.pragma "a brace in a string: {";
	.loc 1 7 0
	/* another: { and
	one: } */
	{ .reg .b32 x; mov.b32 x, 1; }
	.loc 1 9 3, function_name $L__info_string0, inlined_at 1 7 0
L: { .reg .b32 x; mov.b32 x, {%r1, %r2}; }
	bra L; // }
	bra later;
later:
	ret;
}
.global .u32 later_variable;
.visible .entry second()
{
	.reg .b32 %r<4>;
	.loc 1 7 0
	mov.u32 %r1, later_variable;
	ret;
}
)";
  const Module whole = parse_module(kText);
  Module parts = headers_of(kText);
  for (const char* name : {"second", "first"})
    parse_bodies(parts, name);
  REQUIRE(parts.functions.size() == 2);
  CHECK(parts.functions[0].max_threads[0] == 64);
  for (size_t f = 0; f < 2; ++f) {
    const Function &one = whole.functions[f], &other = parts.functions[f];
    REQUIRE(one.instructions.size() == other.instructions.size());
    CHECK(one.labels == other.labels);
    for (size_t i = 0; i < one.instructions.size(); ++i) {
      CAPTURE(f, i);
      CHECK(render(one.instructions[i]) == render(other.instructions[i]));
      CHECK(one.instructions[i].ptx_line == other.instructions[i].ptx_line);
      uint32_t at = one.instructions[i].location, in_parts = other.instructions[i].location;
      for (; at != 0 && in_parts != 0;
           at = whole.locations[at].inlined_at, in_parts = parts.locations[in_parts].inlined_at) {
        CHECK(whole.locations[at].line == parts.locations[in_parts].line);
        CHECK(whole.locations[at].column == parts.locations[in_parts].column);
      }
      CHECK(at == in_parts);
    }
  }
  CHECK(find(whole, "first").instructions.at(4).ptx_line == 19);
}

TEST_CASE("an error in a body is found when it is read, with its line, and every time") {
  Module module =
      headers_of(".entry good() { ret; }\n.entry bad()\n{\n\tret;\n\tmov.b32 %r1 5;\n}\n");
  parse_bodies(module, "good");
  CHECK(find(module, "good").instructions.size() == 1);
  for (int time = 0; time < 2; ++time) {
    try {
      parse_bodies(module, "bad");
      FAIL("nothing was found");
    } catch (const ParseError& error) {
      CHECK(error.line == 8);
    }
    CHECK(find(module, "bad").instructions.empty());
  }
}

TEST_CASE("a body that is never closed is refused when the headers are read") {
  CHECK_THROWS_AS(headers_of(".entry k() { { ret; }\n"), ParseError);
  CHECK_THROWS_AS(headers_of(".entry k() { ret; // }\n"), ParseError);
  CHECK_THROWS_AS(headers_of(".entry k() { ret; /* }\n"), ParseError);
  CHECK_THROWS_AS(headers_of(".entry k() { .pragma \"}\n"), ParseError);
}

TEST_CASE("braces in comments and texts do not end a body, wherever they are in it") {
  for (size_t shift = 0; shift < 70; ++shift) {
    const std::string blanks(shift, ' ');
    for (const char* part :
         {"// }\n", "/* } \n } */", ".pragma \"}\";", "{ }", "\n", "{ // {\n }"}) {
      const std::string text =
          ".entry first()\n{" + blanks + part + blanks + "\n\tret;\n}\n.entry second() { ret; }\n";
      CAPTURE(shift, part);
      Module parts = headers_of(text);
      const Module whole = parse(std::string(kHeader) + text);
      REQUIRE(parts.functions.size() == 2);
      CHECK(parts.functions[1].ptx_line == whole.functions[1].ptx_line);
      parse_bodies(parts, "first");
      CHECK(parts.functions[0].instructions.at(0).ptx_line ==
            whole.functions[0].instructions.at(0).ptx_line);
    }
  }
}
