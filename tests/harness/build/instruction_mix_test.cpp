#include "harness/build/instruction_mix.h"

#include <fstream>

#include "tests/catch.h"

using namespace ridge::build;

TEST_CASE("PTX instructions are counted by opcode, without directives, labels and declarations") {
  const auto mix = ptx_mix(R"(
.version 9.0
.visible .entry add(
	.param .u64 add_param_0
)
{
	.reg .pred 	%p<2>;
	ld.param.u64 	%rd1, [add_param_0];
	ld.param.u32 	%r2, [add_param_1];
	@%p1 bra 	$L__BB0_2;
	fma.rn.f32 	%f3, %f1, %f2, %f1;
$L__BB0_2:
	{ mov.b32 %r1, %r2;
	ret;
}
)");
  std::vector<std::string> got;
  for (const OpcodeCount& one : mix)
    got.push_back(one.opcode + " " + std::to_string(one.count));
  CHECK(got == std::vector<std::string>{"bra 1", "fma.rn.f32 1", "ld.param.u32 1", "ld.param.u64 1",
                                        "mov.b32 1", "ret 1"});
}

TEST_CASE("SASS of a listing is counted without predicates, encodings and padding") {
  const auto mix = sass_mix(R"(
		Function : _Z3addPf
        /*0000*/                   LDC R1, c[0x0][0x28] ;             /* 0x00000a00ff017b82 */
                                                                      /* 0x000fe20000000800 */
        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;   /* 0x0000000402047981 */
        /*0020*/                   LDG.E.128 R8, desc[UR4][R2.64] ;
        /*0030*/              @P0  EXIT ;
        /*0040*/                   NOP;
)");
  REQUIRE(mix.size() == 3);
  CHECK(mix[0].opcode == "LDG.E.128");
  CHECK(mix[0].count == 2);
}

TEST_CASE("the PTX in a compiled file is found; a file without PTX gives nothing") {
  const std::filesystem::path file = std::filesystem::path(RIDGE_BINARY_DIR) / "mix-test.bin";
  std::ofstream(file, std::ios::binary) << std::string(
                                               "\x7f"
                                               "ELF\0\1\2",
                                               7)
                                        << "//\n.version 9.0\n.target sm_90a\n\tret;\n"
                                        << '\0' << "\1\2.version";
  REQUIRE(ptx_in(file).size() == 1);
  CHECK(ptx_mix(ptx_in(file)[0]).at(0).opcode == "ret");
  CHECK(ptx_in("/dev/null").empty());
}
