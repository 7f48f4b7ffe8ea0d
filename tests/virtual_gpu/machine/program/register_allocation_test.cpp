// Two registers share a row exactly if they are never live at the same time on any path.
#include "virtual_gpu/machine/program/register_allocation.h"

#include <algorithm>
#include <map>

#include "tests/catch.h"
#include "virtual_gpu/ptx/parser.h"

using namespace ridge;

namespace {

// By the registers' names.
struct Allocation {
  std::map<std::string, uint32_t> numbers;
  std::vector<std::string> unset;
};

Allocation allocation_of(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n" +
      body + "\nret;\n}\n";
  const ptx::Module module = ptx::parse(text);
  const ptx::Function& function = module.functions.at(0);
  const auto rows = machine::allocate_rows(function, [](const ptx::Operand& reg) {
    if (reg.name.starts_with("%rd")) return machine::RowType::b64;
    if (reg.name.starts_with("%r")) return machine::RowType::b32;
    return reg.name.starts_with("%p") ? machine::RowType::pred : machine::RowType::none;
  });
  Allocation named;
  for (const ptx::RegisterDeclaration& declared : function.registers) {
    for (uint32_t k = 0; k < declared.count; ++k) {
      const std::string name = std::string(declared.name) + std::to_string(k);
      const ptx::RegisterNumber number = declared.first + k;
      if (number < rows.numbers.size() && rows.numbers[number] != machine::kOwnRow)
        named.numbers[name] = rows.numbers[number];
      if (std::count(rows.unset.begin(), rows.unset.end(), number) != 0)
        named.unset.push_back(name);
    }
  }
  return named;
}

std::map<std::string, uint32_t> shared(const std::string& body) {
  return allocation_of(body).numbers;
}

}  // namespace

TEST_CASE("registers share a row when their live ranges do not overlap") {
  struct Row {
    const char* what;
    const char* body;
    const char *a, *b;
    bool share;
  };
  const Row rows[] = {
      {"one after the other",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, 1; st.global.u32 [%rd0], %r0; mov.u32 %r1, 2; "
       "st.global.u32 [%rd0], %r1;",
       "%r0", "%r1", true},
      {"both alive at the store",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, 1; mov.u32 %r1, 2; st.global.v2.u32 [%rd0], {%r0, %r1};",
       "%r0", "%r1", false},
      {"one dies where the other begins: an operation may write before it has read",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, 1; add.u32 %r1, %r0, 1; st.global.u32 [%rd0], %r1;",
       "%r0", "%r1", false},
      {"a value carried round a loop",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, 8; mov.u32 %r1, 0;\n"
       "L: add.u32 %r1, %r1, 1; mov.u32 %r2, 5; st.global.u32 [%rd0], %r2; add.u32 %r0, %r0, -1;\n"
       "setp.ne.u32 %p0, %r0, 0; @%p0 bra L; st.global.u32 [%rd0], %r1;",
       "%r1", "%r2", false},
      {"read at the loop's head, from the trip before",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, 8; mov.u32 %r1, 0;\n"
       "L: st.global.u32 [%rd0], %r1; mov.u32 %r2, 5; st.global.u32 [%rd0], %r2; mov.u32 %r1, 3;\n"
       "add.u32 %r0, %r0, -1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;",
       "%r1", "%r2", false},
      {"the two sides of a branch",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16; @%p0 bra A;\n"
       "mov.u32 %r1, 1; st.global.u32 [%rd0], %r1; bra B;\n"
       "A: mov.u32 %r2, 2; st.global.u32 [%rd0], %r2;\nB: mov.u32 %r3, 3; st.global.u32 [%rd0], %r3;",
       "%r1", "%r2", true},
      {"a guarded write keeps what was there",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16; mov.u32 %r1, 1;\n"
       "mov.u32 %r2, 7; st.global.u32 [%rd0], %r2; @%p0 mov.u32 %r1, 2; st.global.u32 [%rd0], %r1;",
       "%r1", "%r2", false},
      {"used before anything was written: alive from the beginning",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, 1; st.global.u32 [%rd0], %r0; st.global.u32 [%rd0], %r1;",
       "%r0", "%r1", false},
      {"an instruction that is not known to write its first operand reads it",
       "ld.param.u64 %rd0, [out]; mov.u32 %r0, 1; st.global.u32 [%rd0], %r0; atom.global.add.u32 %r1, "
       "[%rd0], "
       "1; st.global.u32 [%rd0], %r1;",
       "%r0", "%r1", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto numbers = shared(row.body);
    REQUIRE(numbers.contains(row.a));
    REQUIRE(numbers.contains(row.b));
    CHECK((numbers.at(row.a) == numbers.at(row.b)) == row.share);
  }
}

TEST_CASE(
    "registers of a warpgroup's matrix product keep their rows: it reads them while the warp goes on") {
  CHECK(shared("wgmma.fence.sync.aligned; mov.u32 %r0, 1;").empty());
}

TEST_CASE("registers that a path reads before it writes them are unset, and no others") {
  struct Row {
    const char* what;
    const char* body;
    std::vector<std::string> unset;
  };
  const Row rows[] = {
      {"written, then read", "mov.u32 %r0, 1; add.u32 %r1, %r0, 1;", {}},
      {"a sum without a first value", "add.u32 %r0, %r0, 1;", {"%r0"}},
      {"written on one side of a branch",
       "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16; @%p0 bra A; mov.u32 %r1, 1;\n"
       "A: add.u32 %r2, %r1, 1;",
       {"%r1"}},
      {"written where a guard is true, which may be the guard of the read",
       "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16; @%p0 mov.u32 %r1, 1; @%p0 add.u32 %r2, %r1, 1;",
       {}},
      {"the result of an atomic",
       "ld.param.u64 %rd0, [out]; atom.global.add.u32 %r0, [%rd0], 1; add.u32 %r1, %r0, 1;",
       {}},
      {"stored", "ld.param.u64 %rd0, [out]; st.global.u32 [%rd0], %r0;", {"%r0"}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(allocation_of(row.body).unset == row.unset);
  }
}
