// Opcodes are read as ptxas reads them, and a kernel's file from its line table.
#include <algorithm>

#include "harness/build/instruction_mix.h"
#include "tests/catch.h"

using namespace ridge::build;

namespace {

bool has(std::string_view ptx, const std::string& start) {
  const std::vector<std::string> opcodes = ptx_opcodes(ptx);
  return std::any_of(opcodes.begin(), opcodes.end(),
                     [&](const std::string& opcode) { return opcode.starts_with(start); });
}

}  // namespace

TEST_CASE("comments and blanks do not hide opcodes, and texts and comments are not opcodes") {
  struct Row {
    const char* ptx;
    bool has_mma;
  };
  const Row rows[] = {
      {"mma.sync.aligned.m16n8k8 {%f1}, {%r1};", true},
      {"mma /* */ .sync.aligned.m16n8k8 {%f1};", true},
      {"mma/**/.sync {%f1};", true},
      {"mma\n\t.sync {%f1};", true},
      {"mma // here\n .sync {%f1};", true},
      {"@%p1 mma.sync {%f1};", true},
      {"// \xc3\xa9\n mma.sync {%f1};", true},
      {"{ mma.sync {%f1}; }", true},
      {"// mma.sync\n add.f32 %f1, %f2, %f3;", false},
      {"/* mma.sync */ add.f32 %f1, %f2, %f3;", false},
      {".file 1 \"mma.sync.cu\"\n", false},
      {"wmma.load.a.sync.aligned.row.m16n16k16 {%r1};", false},
      {"st.global.f32 [mma_table], %f1;", false},
  };
  for (const Row& row : rows) {
    INFO(row.ptx);
    CHECK(has(row.ptx, "mma.") == row.has_mma);
  }
}

TEST_CASE("a kernel is attributed to the file of its first own line") {
  const std::vector<KernelOrigin> origins = kernel_origins(
      ".visible .entry mine(\n)\n{\n\t.loc\t2 300 3, function_name $L0, inlined_at 1 20 5\n\t.loc\t1 21 1\n}\n"
      ".visible .entry theirs(\n)\n{\n\t.loc\t2 40 1\n}\n.visible .entry empty(\n)\n{\n}\n"
      "\t.file\t1 \"/course/sum.cu\"\n\t.file\t2 \"/cuda/include/cub/kernel_reduce.cuh\"\n");
  REQUIRE(origins.size() == 3);
  CHECK(origins[0].kernel == "mine");
  CHECK(origins[0].file == "/course/sum.cu");
  CHECK(origins[1].file == "/cuda/include/cub/kernel_reduce.cuh");
  CHECK(origins[2].file.empty());
}
