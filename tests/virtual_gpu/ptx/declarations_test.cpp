#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

std::string describe(const Variable& v) {
  static constexpr const char* kSpaces[] = {"none", "reg", "const", "global", "local", "param", "shared"};
  std::string text = fmt::format("{} {} {}", v.name, kSpaces[static_cast<int>(v.space)], v.type);
  if (v.vector_width != 1) text += fmt::format(" v{}", v.vector_width);
  if (v.element_count != 1) text += fmt::format(" [{}]", v.element_count);
  if (v.alignment) text += fmt::format(" align {}", v.alignment);
  if (v.is_extern) text += " extern";
  if (v.is_visible) text += " visible";
  if (v.is_weak) text += " weak";
  if (v.is_managed) text += " managed";
  return text;
}

}  // namespace

TEST_CASE("a variable keeps its space, type, shape and linkage") {
  struct Row {
    const char* text;
    const char* tree;
  };
  const Row rows[] = {
      {".global .align 4 .u32 gv;", "gv global u32 align 4"},
      {".extern .shared .align 1024 .b8 sm[];", "sm shared b8 [0] align 1024 extern"},
      {".visible .const .align 4 .f32 c[3][4];", "c const f32 [12] align 4 visible"},
      {".weak .global .b64 w[2];", "w global b64 [2] visible weak"},
      {".common .global .f64 d;", "d global f64 visible weak"},
      {".global .attribute(.managed) .align 4 .u32 man = 5;", "man global u32 align 4 managed"},
      {".visible .global .align 16 .v4 .f32 v[2];", "v global f32 v4 [2] align 16 visible"},
      {".global .v2.f32 w2;", "w2 global f32 v2"},
      {".global .u32 n[(1+2)*4];", "n global u32 [12]"},
      {".const[2] .u32 bank;", "bank const u32"},
      {".global .b128 q;", "q global b128"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Module module = parse_module(row.text);
    REQUIRE(module.variables.size() == 1);
    CHECK(describe(module.variables[0]) == row.tree);
    CHECK(module.variables[0].ptx_line == 4);
  }
}

TEST_CASE("an initialiser becomes bytes") {
  struct Row {
    const char* text;
    const char* bytes;
    uint64_t elements;
  };
  const Row rows[] = {
      {".global .u32 a = 258;", "02010000", 1},
      {".global .b8 a[4] = {104, 105, 33};", "686921", 4},
      {".global .u16 a[2] = {-1, 0x1234};", "ffff3412", 2},
      {".global .f32 a[4] = {0f3F800000, 1.5, 2, 0f7FC01234};", "0000803f0000c03f000000403412c07f", 4},
      {".global .f64 a[3] = {0d3FF0000000000000, 0f3F800000, -2};",
       "000000000000f03f000000000000f03f00000000000000c0", 3},
      {".global .u8 a[2][3] = {{1}, {2, 3}};",
       "0100000203",
       6},
      {".global .u8 a[2][3] = {1, 2, 3, 4};", "01020304", 6},
      {".global .u8 a[2][2][2] = {{{1,2},{3,4}},{{5}}};", "0102030405", 8},
      {".global .u8 a[] = {1, 2, 3};", "010203", 3},
      {".global .u8 a[][2] = {{1, 2}, {3}};", "010203", 4},
      {".global .v2 .u8 a[2] = {{1, 2}, {3, 4}};", "01020304", 2},
      {".global .u8 a[8] = \"hi\";", "6869", 8},
      {".global .u8 a[] = \"hi\";", "686900", 3},
      {".global .s128 a = -2;", "feffffffffffffffffffffffffffffff", 1},
      {".global .u8 a[2] = {};", "", 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Module module = parse_module(row.text);
    CHECK(hex(module.variables.at(0).initial) == row.bytes);
    CHECK(module.variables.at(0).element_count == row.elements);
    CHECK(module.variables.at(0).relocations.empty());
  }
}

TEST_CASE("addresses in an initialiser become relocations") {
  const Module module = parse_module(R"(.global .u32 arr[4];
.global .u64 table[4] = {7, arr, generic(arr)+8, generic(arr+4)};)");
  const Variable& table = module.variables.at(1);
  CHECK(hex(table.initial).substr(0, 16) == "0700000000000000");
  CHECK(table.initial.size() == 32);
  REQUIRE(table.relocations.size() == 3);
  const auto describe_relocation = [](const Variable::Relocation& r) {
    return fmt::format("{}: {}{}{:+} {} bytes from bit {}", r.offset, r.generic ? "generic " : "", r.symbol,
                       r.addend, r.bytes, r.shift_bits);
  };
  CHECK(describe_relocation(table.relocations[0]) == "8: arr+0 8 bytes from bit 0");
  CHECK(describe_relocation(table.relocations[1]) == "16: generic arr+8 8 bytes from bit 0");
  CHECK(describe_relocation(table.relocations[2]) == "24: generic arr+4 8 bytes from bit 0");
}

TEST_CASE("the bytes of one address in a packed struct become one relocation") {
  const Module module = parse_module(R"(.global .u32 arr;
.global .align 1 .u8 packed[12] = {1, 0XFF(generic(arr)+4), 0xFF00(generic(arr)+4), 0xFF0000(generic(arr)+4),
  0xFF000000(generic(arr)+4), 0xFF00000000(generic(arr)+4), 0xFF0000000000(generic(arr)+4),
  0xFF000000000000(generic(arr)+4), 0xFF00000000000000(generic(arr)+4), 3, 0xFF00(arr)};)");
  const Variable& packed = module.variables.at(1);
  CHECK(hex(packed.initial) == "0100000000000000000300");
  REQUIRE(packed.relocations.size() == 2);
  CHECK(packed.relocations[0].offset == 1);
  CHECK(packed.relocations[0].bytes == 8);
  CHECK(packed.relocations[0].shift_bits == 0);
  CHECK(packed.relocations[0].addend == 4);
  CHECK(packed.relocations[0].generic);
  CHECK(packed.relocations[1].offset == 10);
  CHECK(packed.relocations[1].bytes == 1);
  CHECK(packed.relocations[1].shift_bits == 8);
}

TEST_CASE("a kernel keeps its parameters and launch bounds") {
  const Module module = parse_module(R"(.visible .entry wg(
	.param .align 128 .b8 wg_param_0[128],
	.param .u64 .ptr .global .align 4 wg_param_1,
	.param .u32 wg_param_2
)
.maxntid 256, 2
.explicitcluster
.reqnctapercluster 2, 1, 1
.minnctapersm 3
.maxnreg 64
.maxclusterrank 8
.blocksareclusters
.a_hint_of_the_future 4, 5
{ ret; })");
  const Function& kernel = module.functions.at(0);
  CHECK(kernel.is_entry);
  CHECK(kernel.is_visible);
  REQUIRE(kernel.parameters.size() == 3);
  CHECK(describe(kernel.parameters[0]) == "wg_param_0 param b8 [128] align 128");
  CHECK(describe(kernel.parameters[1]) == "wg_param_1 param u64");
  CHECK(kernel.max_threads == std::array<uint32_t, 3>{256, 2, 1});
  CHECK(kernel.cluster == std::array<uint32_t, 3>{2, 1, 1});
  CHECK(kernel.explicit_cluster);
  CHECK(kernel.min_blocks_per_sm == 3);
  CHECK(kernel.max_registers == 64);
  CHECK(kernel.max_cluster_rank == 8);
  CHECK(kernel.required_threads == std::array<uint32_t, 3>{0, 0, 0});
}

TEST_CASE("a definition takes its declaration's place") {
  const Module module = parse_module(R"(.func (.param .b32 func_retval0) f (.param .b64 f_param_0) ;
.extern .func free ( .param .b64 free_param_0 ) ;
.extern .global .u32 x;
.func (.param .b32 func_retval0) f(.param .b64 f_param_0) .noreturn { ret; }
.visible .global .u32 x = 1;
.func (.param .b32 func_retval0) f (.param .b64 f_param_0) ;
.alias f2, f;)");
  REQUIRE(module.functions.size() == 2);
  CHECK(module.functions[0].name == "f");
  CHECK_FALSE(module.functions[0].is_declaration);
  CHECK(module.functions[0].no_return);
  CHECK(module.functions[0].results.at(0).name == "func_retval0");
  CHECK(module.functions[1].is_declaration);
  CHECK(module.functions[1].is_extern);
  REQUIRE(module.variables.size() == 1);
  CHECK_FALSE(module.variables[0].is_extern);
  CHECK(module.aliases == std::vector<std::pair<std::string, std::string>>{{"f2", "f"}});
}

TEST_CASE("a .loc gives the source line and the chain of inlined calls") {
  const Module module = parse_module(R"(.entry k() {
	.loc	1 41 5
	ret;
	.loc	1 41 9
	.loc	2 152 3, function_name $L__info_string0, inlined_at 1 41 9
	.loc	2 145 4, function_name $L__info_string0+12, inlined_at 2 152 3
	ret;
$L__tmp0:
	.loc	1 50 0
$L__tmp1:
	ret; ret;
}
	.file	1 "/home/me/k.cu"
	.file	2 "/usr/include/inner.h", 1700000000, 1234
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90 // not the end: }
$L__info_string1:
.b32 $L__info_string0+4
	}
)");
  const Function& kernel = module.functions.at(0);
  const auto chain = [&](size_t instruction) {
    std::string text;
    for (uint32_t at = kernel.instructions.at(instruction).location; at != 0;
         at = module.locations.at(at).inlined_at) {
      const Location& l = module.locations[at];
      text += fmt::format("{}:{}:{} ", module.files.at(l.file), l.line, l.column);
    }
    return text;
  };
  CHECK(chain(0) == "/home/me/k.cu:41:5 ");
  CHECK(chain(1) == "/usr/include/inner.h:145:4 /usr/include/inner.h:152:3 /home/me/k.cu:41:9 ");
  CHECK(chain(2) == "/home/me/k.cu:50:0 ");
  CHECK(chain(3) == chain(2));
  CHECK(kernel.instructions[1].ptx_line == 10);
  CHECK(kernel.instructions[3].ptx_line == 14);
  CHECK(kernel.labels.at("$L__tmp1") == 2);
  CHECK(module.ptx_lines.at(13) == "\tret; ret;");
  CHECK(module.version_major == 9);
  CHECK(module.version_minor == 0);
  CHECK(module.target == "sm_90a");
}
