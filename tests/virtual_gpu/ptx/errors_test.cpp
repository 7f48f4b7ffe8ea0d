#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

std::string message_of(const std::string& text) {
  try {
    parse(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

std::string repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    all += text;
  return all;
}

}  // namespace

TEST_CASE("an error names the PTX line, what was expected and what was found") {
  struct Row {
    const char* body;
    const char* message;
  };
  const Row rows[] = {
      {"add.s32 %r1, %r2", "PTX line 5: expected ';' after the operands of add.s32, found '}'"},
      {"\n\nld.f32 %f1, [%rd1;", "PTX line 6: expected ']' after an address, found ';'"},
      {"mov.b32 {%r1, %r2;", "PTX line 4: the body of 'k' is never closed; the text ends too early"},
      {"@ret;", "PTX line 4: the guard 'ret' is not a register that was declared"},
      {"mov.u32 %r1, !table;", "PTX line 4: '!' stands before 'table', which is not a register"},
      {"mov.f32 %f1, 0f3F80;",
       "PTX line 4: the floating literal '0f3F80' has 4 hexadecimal digits; 0f takes 8"},
      {"mov.u32 %r1, 09;", "PTX line 4: '09' is not a number in base 8"},
      {"mov.u32 %r1, 1/0;", "PTX line 4: a constant expression divides by zero"},
      {"mov.u64 %rd1, 99999999999999999999;",
       "PTX line 4: the integer 99999999999999999999 does not fit in 64 bits"},
      {".reg .b32 %a; .reg .b32 %a;", "PTX line 4: register '%a' is declared twice in the same scope"},
      {"L: L: ret;", "PTX line 4: 'L' is declared twice in the same scope"},
      {".reg .b31 %a;", "PTX line 4: '.b31' is no property of a variable: no state space, type or alignment"},
      {".shared .align 3 .b8 a;", "PTX line 4: an alignment of 3 is no power of two"},
      {".shared .b8 a[2] = {1, 2, 3};",
       "PTX line 4: the initialiser of 'a' has more values than fit in its 2 bytes"},
      {".shared .b8 a[2] = {{1}};",
       "PTX line 4: the initialiser of 'a' has more braces than the array has dimensions"},
      {".frobnicate 3;", "PTX line 4: the directive '.frobnicate' is not known inside a function"},
      {"mov.u32 %r1, #;",
       "PTX line 4: character 0x23 has no meaning in PTX; the text is damaged or is not PTX"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.body);
    CHECK(message_of(fmt::format("{}.entry k() {{ {}\n}}", kHeader, row.body)) == row.message);
  }
}

TEST_CASE("a text that is no PTX module says so") {
  CHECK(message_of("") ==
        "PTX line 1: expected .version at the start of a PTX module (is this PTX text, and is it "
        "decompressed?), found the end of the text");
  CHECK(message_of(".version 9.0 .target sm_90a .address_size 32") ==
        "PTX line 1: addresses are 32 bits; only 64-bit PTX can be run, compile with -m64");
  CHECK(message_of(std::string(kHeader) + ".entry k() { ret; }\n.entry k() { ret; }") ==
        "PTX line 5: function 'k' is defined twice; the first definition is on line 4");
  CHECK(message_of(std::string(kHeader) + "/* open").find("PTX line 4: the comment") == 0);
}

TEST_CASE("zero bytes after the text are ignored") {
  const std::string padded = std::string(kHeader) + ".entry k() { ret; }" + std::string(7, '\0');
  CHECK(parse(padded).functions.size() == 1);
  CHECK(parse(padded).ptx_lines.at(3) == ".entry k() { ret; }");
}

TEST_CASE("nesting without bound is an error or a success, never a crash") {
  constexpr int kTimes = 200'000;
  const auto body = [](const std::string& text) {
    return message_of(std::string(kHeader) + ".entry k() {" + text + "}");
  };
  CHECK(body(repeat("{", kTimes) + repeat("}", kTimes)) == "no error");
  CHECK(body(repeat("{ .reg .pred p;", 20'000) + repeat("}", 20'000)) == "no error");
  for (const char* opener : {"(", "-", "~", "!", "1?", "1?1:", "(1+"}) {
    CAPTURE(opener);
    CHECK(body("mov.u32 %r1, " + repeat(opener, kTimes) + "1;").find("nested deeper") != std::string::npos);
  }
  CHECK(body("mov.u32 %r1, " + repeat("{", kTimes) + repeat("}", kTimes) + ";").find("nested deeper") !=
        std::string::npos);
  CHECK(body("ld.u32 %r1, " + repeat("[a,", kTimes) + ";").find("nested deeper") != std::string::npos);
  CHECK(message_of(std::string(kHeader) + ".global .u8 a[2] = " + repeat("{", kTimes)) != "no error");
}
