// Damaged input: every prefix of a text that uses all constructs, and thousands of changed bytes. Each is a
// ParseError or a success. Run with RIDGE_SANITIZE for the full strength of it.
#include <optional>
#include <random>

#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

constexpr std::string_view kEverything = R"(// header
.version 9.0
.target sm_90a, debug
.address_size 64
.func (.param .b32 func_retval0) f (.param .b64 f_param_0) .noreturn ;
.extern .shared .align 1024 .b8 sm[];
.global .attribute(.managed) .align 4 .u32 man = 5;
.const .align 4 .f32 c[2][3] = {{0f3F800000, 1.5e-3}, {-2}};
.global .align 8 .u64 t[4] = {generic(man)+8, f, man, (1+2)*3};
.global .align 1 .u8 packed[9] = {1, 0XFF(generic(man)+4), 0xFF00(generic(man)+4)};
.global .u8 text[] = "a\"b";
.global .v4 .f32 v[2];
.alias g, f;
.visible .entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 b[16])
.maxntid 256, 1, 1
.minnctapersm 2
.reqnctapercluster 2, 1, 1
{
	.local .align 16 .b8 	__local_depot2[96];
	.reg .pred 	%p<3>;
	.reg .b32 	%r<41>, %SP;
	.pragma "nounroll";
	.loc	1 7 0
	.loc	2 145 4, function_name $L__info_string0+12, inlined_at 1 7 0
	mov.u32 %r1, %tid.x; /* block
	comment */ @!%p1 bra $L2;
	ld.global.nc.v4.f32 {%f1, _, %f3, %f4}, [%rd1+-16];
	{ .reg .pred p; .reg .b32 x<4>; L: setp.lt.and.s32 p|%p2, x1, 0x1FU, !%p1; @p bra L; }
	{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], 0; @p bra L; }
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd30, {%r4, 0}], [%r6];
	{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
	prototype_7 : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (retval0), %rd29, (param0), prototype_7; }
$L2: .branchtargets $L2, $L3;
$L3: brx.idx %r1, $L2;
	fma.rn.f64 %fd1, 0d3FF0000000000000, 1 > 2 ? 3 : ~4 << 2, WARP_SZ;
	ret;
}
	.file	1 "/home/me/k.cu"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90
	}
)";

enum class Outcome { parsed, refused };

std::vector<size_t> instructions_of(const Module& module) {
  std::vector<size_t> counts;
  for (const Function& function : module.functions)
    counts.push_back(function.instructions.size());
  return counts;
}

// Anything but a ParseError escapes and fails the test. A refusal names a line of the text.
template <class Read>
std::optional<Module> read_by(const Read& read, uint32_t lines) {
  try {
    return read();
  } catch (const ParseError& error) {
    if (error.line < 1 || error.line > lines + 1)
      FAIL("line " << error.line << " of " << lines << ": " << error.what());
    return std::nullopt;
  }
}

// A text that parses at once also parses body by body, to the same functions.
Outcome outcome_of(std::string_view text, uint32_t lines) {
  const std::optional<Module> whole = read_by([&] { return parse(text); }, lines);
  const std::optional<Module> parts = read_by(
      [&] {
        Module module = parse_headers(std::string(text));
        for (size_t i = 0; i < module.functions.size(); ++i)
          parse_bodies(module, std::string(module.functions[i].name));
        return module;
      },
      lines);
  if (!whole) return Outcome::refused;
  if (!parts || instructions_of(*whole) != instructions_of(*parts))
    FAIL("body by body this text is something else:\n" << text);
  return Outcome::parsed;
}

}  // namespace

TEST_CASE("the text of the robustness tests parses") {
  const Module module = parse(kEverything);
  CHECK(module.functions.at(1).instructions.size() == 13);
  CHECK(module.variables.size() == 7);
}

TEST_CASE("every prefix of a module parses or is refused with a line") {
  const uint32_t lines = 60;
  int refused = 0;
  for (size_t length = 0; length <= kEverything.size(); ++length) {
    refused += outcome_of(kEverything.substr(0, length), lines) == Outcome::refused;
  }
  CHECK(refused > 1000);  // most prefixes end inside the kernel
}

TEST_CASE("changed, dropped and repeated bytes parse or are refused with a line") {
  std::mt19937 random(20250115);  // the same damage in every run
  constexpr std::string_view kTroublemakers = "{}()[]<>,;:@!|+-*/%&^~?=.\"$_0x9fU \n\\\x80\xff#";
  int parsed = 0, refused = 0;
  for (int round = 0; round < 12'000; ++round) {
    std::string text(kEverything);
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      const size_t at = random() % text.size();
      switch (random() % 5) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text[at] = kTroublemakers[random() % kTroublemakers.size()];
          break;
        case 2:
          text[at] ^= static_cast<char>(1u << (random() % 8));
          break;
        case 3:
          text.erase(at, 1 + random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), 1 + random() % 40));
          break;
      }
    }
    CAPTURE(round);
    (outcome_of(text, 200) == Outcome::parsed ? parsed : refused)++;
  }
  CHECK(parsed > 500);
  CHECK(refused > 2000);
}
