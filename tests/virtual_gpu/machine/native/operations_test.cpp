// Every operation that the generator emits itself, on random values rich in edge cases, and many of them one
// after the other: native code leaves the same bits in every row as the functions of the first tier.
#include <algorithm>
#include <random>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/lanes/lane_file.h"
#include "tests/virtual_gpu/machine/native/stretch.h"
#include "virtual_gpu/machine/native/native_opcodes.h"

using namespace ridge::machine;
using ridge::machine::test::LaneStep;
using ridge::machine::test::Stretch;

namespace {

uint32_t interesting_word(std::mt19937& random) {
  static constexpr uint32_t kEdges[] = {
      0,          1,          2,          31,         32,         33,         63,         64,
      65,         0xff,       0x7fff,     0x8000,     0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
      0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
      0xff800001, 0x00800000, 0x007fffff, 0x807fffff, 0x80800000, 0x7f7fffff, 0x4effffff, 0x4f000000,
      0xcf000000, 0xcf000001, 0x4f800000, 0x7ff00000, 0x7ff80000, 0xfff80000, 0xfff00000, 0x3ff00000,
      0x36a00000, 0x380fffff, 0x47efffff, 0x00100000, 0x000fffff};
  switch (random() % 5) {
    case 0:
    case 1:
      return kEdges[random() % std::size(kEdges)];
    case 2:
      return (random() & 0x807fffff) | (100 + random() % 60) << 23;  // floats around one
    case 3:
      return random() % 300 - 100;
    default:
      return random();
  }
}

template <class Bytes>
void randomise(Bytes& bytes, std::mt19937& random) {
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const uint32_t word = interesting_word(random);
    std::memcpy(&bytes[at], &word, 4);
  }
}

template <class Bytes>
size_t first_difference(const Bytes& a, const Bytes& b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

uint32_t some_mask(std::mt19937& random) {
  static constexpr uint32_t kMasks[] = {1,           0x80000000u, 0xffffu,    0xffff0000u,
                                        0x5555aaaau, 0x00ff0000u, 0xfffffffeu};
  return random() % 2 ? kMasks[random() % std::size(kMasks)] : static_cast<uint32_t>(random());
}

bool has_native_tier() {
  return native_tier_text() == "AVX-512";
}

constexpr int kRounds = 64;  // of 32 lanes each, for all lanes and as many for some

}  // namespace

TEST_CASE(
    "the generator knows the operations that kernels are made of, or the build says that there is none") {
  const std::vector<std::string> known = native_opcodes();
  if (known.empty()) {
    CHECK(native_tier_text().starts_with("off: "));
    return;
  }
  for (const char* opcode :
       {"fma.rn.f32", "add.f32", "mul.wide.s32", "add.s64", "setp.lt.s32", "selp.b32", "mov.u32"})
    CHECK(std::find(known.begin(), known.end(), opcode) != known.end());
}

TEST_CASE(
    "every native operation leaves the bits that the interpreted one leaves, for all lanes and for some") {
  if (!has_native_tier()) {
    WARN("no native tier here: " << native_tier_text());
    return;
  }
  std::mt19937 random(7);
  for (const std::string& opcode : native_opcodes()) {
    const LaneOp* const op = find_lane_op(opcode);
    REQUIRE(op != nullptr);
    // Also with the destination in place of each source of its kind.
    std::vector<LaneOperands> forms{LaneFile::operands()};
    const RowType sources[] = {op->a, op->b, op->c};
    RowOffset LaneOperands::*const places[] = {&LaneOperands::a, &LaneOperands::b, &LaneOperands::c};
    for (int k = 0; k < 3; ++k) {
      if (sources[k] != op->dst) continue;
      LaneOperands same = LaneFile::operands();
      same.dst = same.*places[k];
      forms.push_back(same);
    }
    for (const LaneOperands& form : forms) {
      const uint32_t truth = random() & 0xff;
      Stretch stretch({{op, form}}, {{LaneFile::kD, RowType::b32, truth}});
      for (int round = 0; round < 2 * kRounds; ++round) {
        const uint32_t mask = round < kRounds ? kAllLanes : some_mask(random);
        LaneFile before;
        randomise(before.bytes, random);
        for (int lane = 0; lane < kLanes; ++lane)
          before.set(LaneFile::kD, RowType::b32, lane, truth);
        LaneFile interpreted = before, native = before;
        stretch.interpret(interpreted.bytes.data(), mask);
        REQUIRE(stretch.execute(native.bytes.data(), mask));
        const size_t at = first_difference(interpreted.bytes, native.bytes);
        if (at == native.bytes.size()) continue;
        FAIL_CHECK(opcode << " with mask " << std::hex << mask << std::dec << ": byte " << at << " is "
                          << static_cast<int>(native.bytes[at]) << ", not "
                          << static_cast<int>(interpreted.bytes[at]) << " (dst " << form.dst << ", a "
                          << form.a << ", b " << form.b << ", c " << form.c << ")");
        break;
      }
    }
  }
}

TEST_CASE(
    "long stretches of any operations over few or many rows leave the same bits as one after the other") {
  if (!has_native_tier()) {
    WARN("no native tier here: " << native_tier_text());
    return;
  }
  std::mt19937 random(11);
  // The generator's own, and one in eight that it has to call.
  std::vector<const LaneOp*> own;
  for (const std::string& opcode : native_opcodes()) {
    if (!opcode.starts_with("lop3")) own.push_back(find_lane_op(opcode));
  }
  std::vector<const LaneOp*> others;
  for (const char* opcode : {"popc.b32", "div.s32", "ex2.approx.f32", "add.cc.u32", "addc.cc.u32", "prmt.b32",
                             "bfe.u32", "cvt.rn.f16.f32", "add.f16x2", "mov.b16", "clz.b64", "add.rz.f32"}) {
    const LaneOp* const op = find_lane_op(opcode);
    REQUIRE(op != nullptr);
    others.push_back(op);
  }
  for (int trial = 0; trial < 400; ++trial) {
    // Rows by kind: 64 bytes of predicates, then 128 and 256 bytes each.
    const uint32_t rows = 2 + random() % (trial % 4 == 0 ? 300 : 12);
    const RowOffset words = kFirstRow + 64 * rows, wide = words + 128 * rows, end = wide + 256 * rows;
    const auto some_row = [&](RowType type) -> RowOffset {
      const RowOffset k = random() % rows;
      switch (type) {
        case RowType::pred:
          return kFirstRow + 64 * k;
        case RowType::b32:
          return words + 128 * k;
        case RowType::b64:
          return wide + 256 * k;
        default:
          return 0;
      }
    };
    std::vector<LaneStep> steps;
    const size_t count = 1 + random() % 120;
    while (steps.size() < count) {
      const std::vector<const LaneOp*>& from = random() % 8 == 0 && trial % 2 ? others : own;
      const LaneOp* const op = from[random() % from.size()];
      LaneOperands o{some_row(op->dst), some_row(op->dst2), some_row(op->a),
                     some_row(op->b),   some_row(op->c),    some_row(op->d)};
      if (op->dst2 != RowType::none && o.dst2 == o.dst) continue;
      steps.push_back({op, o});
    }
    Stretch stretch(steps);
    for (int round = 0; round < 6; ++round) {
      const uint32_t mask = round < 3 ? kAllLanes : some_mask(random);
      struct alignas(64) Line {
        std::byte bytes[64];
      };
      std::vector<Line> before(end / 64 + 1);
      std::vector<std::byte> noise(before.size() * 64);
      randomise(noise, random);
      std::memcpy(before.data(), noise.data(), noise.size());
      std::vector<Line> interpreted = before, native = before;
      stretch.interpret(interpreted.front().bytes, mask);
      REQUIRE(stretch.execute(native.front().bytes, mask));
      const bool same = std::memcmp(interpreted.data(), native.data(), native.size() * 64) == 0;
      if (!same) {
        std::string text;
        for (const LaneStep& step : steps)
          text += std::string(step.operation->opcode) + " ";
        FAIL("trial " << trial << ", " << rows << " rows, mask " << std::hex << mask << ": " << text);
      }
    }
  }
}
