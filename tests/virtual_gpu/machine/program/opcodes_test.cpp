// Every opcode that nvcc emits, and its relatives, is known to the decoder: each line of opcodes/*.ptx goes
// into a kernel of its own and must not become an instruction that stops the launch.
#include <fstream>
#include <set>

#include "tests/catch.h"
#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/program/register_use.h"
#include "virtual_gpu/ptx/parser.h"

using namespace ridge;

namespace {

std::vector<std::string> lines_of(const std::string& name) {
  std::ifstream file(std::string(RIDGE_SOURCE_DIR "/tests/virtual_gpu/machine/opcodes/") + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && !line.starts_with("//")) lines.push_back(line);
  return lines;
}

std::string opcode_of(const std::string& line) {
  return line.substr(0, line.find_first_of(" ;"));
}

std::string kernel_with(const std::string& line) {
  return R"(.version 9.0
.target sm_90a
.address_size 64
.const .align 16 .b8 constants[64];
.func callee() { ret; }
.visible .entry kernel(.param .u32 p_word, .param .u64 p_wide) {
  .reg .b128 %q<4>; .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %rd<32>;
  .reg .f32 %f<144>; .reg .f64 %fd<16>;
  .shared .align 128 .b8 tile[1024];
  .param .b32 argument;
  .param .b64 wide_argument;
  prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
TARGET:
)" + line +
         "\n  ret;\n}\n";
}

bool is_known(const std::string& line) {
  const auto module = std::make_shared<ptx::Module>(ptx::parse(kernel_with(line)));
  const auto program = machine::decode(module, "kernel", [](const std::string&) { return uint64_t{0x1000}; });
  return program->ops.front().kind != machine::OpKind::unknown;
}

void check_lines(const std::string& file) {
  for (const std::string& line : lines_of(file))
    if (!is_known(line)) FAIL_CHECK("the decoder does not know  " << line);
}

}  // namespace

TEST_CASE("every opcode that nvcc emits is known to the decoder") {
  const auto lines = lines_of("emitted.ptx");
  std::set<std::string> opcodes;
  for (const std::string& line : lines)
    opcodes.insert(opcode_of(line));
  CHECK(opcodes.size() == 328);  // 329 with .callprototype, which is a declaration
  check_lines("emitted.ptx");
}

TEST_CASE("the opcode table says of every opcode how it uses registers") {
  for (const char* file : {"emitted.ptx", "relatives.ptx"}) {
    for (const std::string& line : lines_of(file)) {
      std::string opcode = opcode_of(line.starts_with('@') ? line.substr(line.find(' ') + 1) : line);
      opcode = opcode.substr(0, opcode.find('.'));
      INFO(line);
      CHECK(machine::register_use(opcode).has_value());
    }
  }
  CHECK_FALSE(machine::register_use("nosuchopcode").has_value());
}

TEST_CASE("each opcode of the lane table has a row in the opcode table") {
  // Operations that the decoder makes of another opcode (lane_op.h says of which).
  const std::set<std::string> made = {"pack", "unpack", "min3", "max3"};
  for (const machine::LaneOp& op : machine::all_lane_ops()) {
    const std::string base(op.opcode.substr(0, op.opcode.find_first_of(".:")));
    if (made.contains(base) || machine::register_use(base)) continue;
    FAIL_CHECK(op.opcode << ": add " << base << " to machine/decode/opcode_table.cpp");
  }
}

TEST_CASE("the close relatives of what nvcc emits are known to the decoder") {
  CHECK(lines_of("relatives.ptx").size() > 150);
  check_lines("relatives.ptx");
}

TEST_CASE(
    "what the virtual GPU does not do is decoded to an instruction that stops the launch, not refused") {
  for (const char* line :
       {"multimem.ld_reduce.relaxed.gpu.global.add.u32 %r0, [%rd0];",
        "multimem.red.relaxed.gpu.global.add.u32 [%rd0], %r0;", "vadd.u32.u32.u64 %r0, %r1.b0, %r2.h1;",
        "istypep.texref %p0, %rd0;", "add.f31 %f0, %f1, %f2;"})
    CHECK_FALSE(is_known(line));
}
