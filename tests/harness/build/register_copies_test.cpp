// Copies between register classes in PTX of clang: which are removed, and which are kept.
#include "harness/build/clang/register_copies.h"

#include <string>

#include "tests/catch.h"

using namespace ridge;

namespace {

// What becomes of the body of a function.
std::string body_without_copies(const std::string& body) {
  const std::string head = ".visible .entry k(\n)\n{\n", end = "}\n";
  const std::string changed = build::without_register_copies(head + body + end);
  REQUIRE(changed.starts_with(head));
  REQUIRE(changed.ends_with(end));
  return changed.substr(head.size(), changed.size() - head.size() - end.size());
}

}  // namespace

TEST_CASE(
    "what reads a copy of bits as a float reads the bits, whose register has another name only") {
  CHECK(body_without_copies("\tshl.b32 \t%r65, %r56, 16;\n"
                            "\tld.global.v2.u32 \t{%r6, %r7}, [%rd1];\n"
                            "\tmov.b32 \t%f9, %r65;\n"
                            "\tmov.b32 \t%f90, %r7;\n"
                            "\tfma.rn.f32 \t%f1, %f9, %f90, %f9;\n"
                            "\tst.global.f32 \t[%rd2], %f91;\n") ==
        "\tshl.b32 \t%r65, %r56, 16;\n"
        "\tld.global.v2.u32 \t{%r6, %r7}, [%rd1];\n"
        "\tfma.rn.f32 \t%f1, %r65, %r7, %r65;\n"
        "\tst.global.f32 \t[%rd2], %f91;\n");
  CHECK(body_without_copies("\tor.b64 \t%rd7, %rd1, %rd2;\n\tmov.b64 \t%fd2, %rd7;\n"
                            "\tneg.f64 \t%fd3, %fd2;\n") ==
        "\tor.b64 \t%rd7, %rd1, %rd2;\n\tneg.f64 \t%fd3, %rd7;\n");
}

TEST_CASE("a copy is kept where its register may have another value than its source") {
  for (const std::string kept : {
           // The source changes after the copy.
           "\tadd.s32 \t%r1, %r2, 1;\n\tmov.b32 \t%f1, %r1;\n\tadd.s32 \t%r1, %r1, 1;\n"
           "\tadd.f32 \t%f2, %f1, %f1;\n",
           // The copy's register has a second source.
           "\tadd.s32 \t%r1, %r2, 1;\n\tmov.b32 \t%f1, %r1;\n\tmov.f32 \t%f1, %f3;\n",
           // The source is of another block: it may be written again before the copy is read.
           "\tadd.s32 \t%r1, %r2, 1;\n$L__BB0_1:\n\tmov.b32 \t%f1, %r1;\n"
           "\tadd.f32 \t%f2, %f1, %f1;\n",
           // The copy of the iteration before is read.
           "$L__BB0_1:\n\tadd.s32 \t%r1, %r2, 1;\n\tadd.f32 \t%f2, %f1, %f1;\n"
           "\tmov.b32 \t%f1, %r1;\n\tbra.uni \t$L__BB0_1;\n",
           // Inline assembly may write it, whatever its braces.
           "\tadd.s32 \t%r1, %r2, 1;\n\tmov.b32 \t%f1, %r1;\n\t// begin inline asm\n{\n"
           "\tadd.f32 %f1, %f1, %f1;\n}\n\t// end inline asm\n",
           // Not between the classes, or not a copy.
           "\tadd.s32 \t%r1, %r2, 1;\n\tmov.b32 \t%r3, %r1;\n",
           "\tadd.f32 \t%f1, %f2, %f2;\n\tmov.b32 \t%r3, %f1;\n",
           "\tadd.s32 \t%r1, %r2, 1;\n\tmov.b32 \t{%rs1, %rs2}, %r1;\n",
       })
    CHECK(body_without_copies(kept) == kept);
}
