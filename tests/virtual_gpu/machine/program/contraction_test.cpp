// Which products become part of an addition: the cases are those that were assembled by ptxas 13.0
// for sm_90a, and the expectations the FMUL, FADD and FFMA that came out.
#include "virtual_gpu/machine/decode/contraction.h"

#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge;

namespace {

// The additions after contraction; products stay.
std::string contracted(const char* body) {
  const ptx::Function function = ptx::parse_body(body);
  const auto result = machine::contract(function);
  std::string text;
  for (const ptx::Instruction& one : (result ? result->function : function).instructions) {
    if (!one.opcode.starts_with("add") && !one.opcode.starts_with("sub") &&
        !one.opcode.starts_with("fma"))
      continue;
    std::string line(one.opcode);
    for (const ptx::Operand& operand : one.operands)
      line += fmt::format(" {}", operand.name);
    text += (text.empty() ? "" : "; ") + line;
  }
  return text;
}

struct Row {
  const char* body;
  const char* expected;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.body);
    CHECK(contracted(row.body) == row.expected);
  }
}

}  // namespace

TEST_CASE("a product that only additions read becomes part of each of them") {
  check({
      {"mul.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;", "fma.rn.f32 %f6 %f1 %f2 %f3"},
      {"mul.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3; add.f32 %f7,%f4,%f5;",
       "fma.rn.f32 %f6 %f1 %f2 %f3; fma.rn.f32 %f7 %f1 %f2 %f4"},
      {"mul.f64 %d5,%d1,%d2; sub.f64 %d6,%d5,%d3; sub.f64 %d7,%d4,%d5;",
       "fma.rn.f64:minus %d6 %d1 %d2 %d3; fma.rn.f64:subtracted %d7 %d1 %d2 %d4"},
      {"mul.ftz.f32 %f5,%f1,%f2; add.ftz.sat.f32 %f6,%f5,%f3;",
       "fma.rn.ftz.sat.f32 %f6 %f1 %f2 %f3"},
      {"mul.f16x2 %r5,%r1,%r2; add.f16x2 %r6,%r5,%r3;", "fma.rn.f16x2 %r6 %r1 %r2 %r3"},
      {"mul.f32 %f5,%f1,%f2; L: add.f32 %f6,%f5,%f3;", "fma.rn.f32 %f6 %f1 %f2 %f3"},
  });
}

TEST_CASE("a product with another use, type, rounding or block stays") {
  check({
      {"mul.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3; st.global.f32 [%rd1],%f5;",
       "add.f32 %f6 %f5 %f3"},
      {"mul.rn.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;", "add.f32 %f6 %f5 %f3"},
      {"mul.f32 %f5,%f1,%f2; add.rn.f32 %f6,%f5,%f3;", "add.rn.f32 %f6 %f5 %f3"},
      {"mul.ftz.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;", "add.f32 %f6 %f5 %f3"},
      {"mul.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f5;", "add.f32 %f6 %f5 %f5"},
      {"mul.f32 %f5,%f1,%f2; fma.rn.f32 %f6,%f3,%f4,%f5; add.f32 %f7,%f5,%f3;",
       "fma.rn.f32 %f6 %f3 %f4 %f5; add.f32 %f7 %f5 %f3"},
      {"mul.f32 %f5,%f1,%f2; @%p1 bra X; add.f32 %f6,%f5,%f3; X: ret;", "add.f32 %f6 %f5 %f3"},
      {"mul.f32 %f5,%f1,%f2; mov.f32 %f1,%f9; add.f32 %f6,%f5,%f3;", "add.f32 %f6 %f5 %f3"},
      {"@%p1 mul.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;", "add.f32 %f6 %f5 %f3"},
  });
}

TEST_CASE("of two products the one with fewer uses is taken, of equals the first") {
  const std::string two = "mul.f32 %f10,%f1,%f2; mul.f32 %f11,%f3,%f4; ";
  const auto is = [&](const char* rest, const char* expected) {
    CAPTURE(rest);
    CHECK(contracted((two + rest).c_str()) == expected);
  };
  is("add.f32 %f12,%f10,%f11;", "fma.rn.f32 %f12 %f1 %f2 %f11");
  is("add.f32 %f12,%f11,%f10;", "fma.rn.f32 %f12 %f3 %f4 %f10");
  is("sub.f32 %f12,%f10,%f11; st.global.f32 [%rd1],%f10;",
     "fma.rn.f32:subtracted %f12 %f3 %f4 %f10");
  is("add.f32 %f12,%f10,%f11; add.f32 %f13,%f10,%f5;",
     "fma.rn.f32 %f12 %f3 %f4 %f10; add.f32 %f13 %f10 %f5");
  is("add.f32 %f13,%f10,%f5; add.f32 %f12,%f10,%f11;",
     "add.f32 %f13 %f10 %f5; fma.rn.f32 %f12 %f3 %f4 %f10");
  is("add.f32 %f12,%f10,%f11; sub.f32 %f13,%f10,%f11;",
     "fma.rn.f32 %f12 %f1 %f2 %f11; fma.rn.f32:minus %f13 %f1 %f2 %f11");
  is("add.f32 %f12,%f10,%f11; add.f32 %f13,%f10,%f5; add.f32 %f14,%f11,%f6;",
     "fma.rn.f32 %f12 %f1 %f2 %f11; fma.rn.f32 %f13 %f1 %f2 %f5; add.f32 %f14 %f11 %f6");
  is("add.f32 %f13,%f10,%f5; add.f32 %f14,%f11,%f6; add.f32 %f12,%f10,%f11;",
     "fma.rn.f32 %f13 %f1 %f2 %f5; fma.rn.f32 %f14 %f3 %f4 %f6; "
     "fma.rn.f32 %f12 %f1 %f2 %f11");
  is("add.f32 %f12,%f10,%f11; sub.f32 %f13,%f5,%f10; add.f32 %f14,%f13,%f10; sub.f32 %f15,%f6,%f11;",
     "fma.rn.f32 %f12 %f3 %f4 %f10; sub.f32 %f13 %f5 %f10; add.f32 %f14 %f13 %f10; "
     "fma.rn.f32:subtracted %f15 %f3 %f4 %f6");
}
