// Every opcode in the table, on random values rich in edge cases: all instruction sets give the same bits;
// `masked` is `full` in its lanes and touches nothing else; a destination may be one of the sources.
#include <memory>
#include <random>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/lanes/lane_file.h"

using namespace ridge::machine;

namespace {

uint32_t interesting_word(std::mt19937& random) {
  static constexpr uint32_t kEdges[] = {
      0,          1,          2,          31,         32,         33,         0x7f,       0x80,
      0xff,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001,
      0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xff800001,
      0x00800000, 0x007fffff, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f800000, 0x3c003c00,
      0x7c00fc00, 0x7e000001, 0x04000400, 0x03ff83ff, 0x7bff7bff, 0x3f803f80, 0x7f807fc0, 0x43e00000,
      0xc1e00000, 0x41f00000, 0x7ff00000, 0xfff80000, 0x3ff00000};
  switch (random() % 4) {
    case 0:
      return kEdges[random() % std::size(kEdges)];
    case 1:
      return (random() & 0x807fffff) | (100 + random() % 60) << 23;  // floats around one
    case 2:
      return random() % 300 - 100;
    default:
      return random();
  }
}

void randomise(LaneFile& file, std::mt19937& random) {
  for (size_t at = 0; at < file.bytes.size(); at += 4) {
    const uint32_t word = interesting_word(random);
    std::memcpy(&file.bytes[at], &word, 4);
  }
  // lop3's table is the same in all lanes
  if (random() % 2)
    std::memset(&file.bytes[LaneFile::kD], static_cast<int>(random() & 0xff), LaneFile::kRowBytes);
  // ... and lop3.or's next to it is where a predicate is: row 0.
  std::memset(&file.bytes[LaneFile::kD + 1], 0, 3);
}

bool reads_uniform_operand(const LaneOp& op) {
  return op.opcode.starts_with("lop3") || op.opcode.ends_with(":scalar");
}

// What masked must leave: `after` in the lanes of the mask, `before` elsewhere.
void blend(const LaneFile& before, LaneFile& after, const LaneOperands& o, const LaneOp& op, uint32_t mask) {
  const auto blend_row = [&](RowOffset row, RowType type) {
    if (type == RowType::none) return;
    if (type == RowType::pred) {
      uint32_t old, now;
      std::memcpy(&old, &before.bytes[row], 4);
      std::memcpy(&now, &after.bytes[row], 4);
      now = (now & mask) | (old & ~mask);
      std::memcpy(&after.bytes[row], &now, 4);
      return;
    }
    for (int lane = 0; lane < kLanes; ++lane)
      if (!(mask >> lane & 1))
        std::memcpy(&after.bytes[row + lane * bytes_of(type)], &before.bytes[row + lane * bytes_of(type)],
                    bytes_of(type));
  };
  blend_row(o.dst, op.dst);
  blend_row(o.dst2, op.dst2);
  blend_row(kCarryRow, RowType::pred);
}

// The first byte in which two register files differ, as text; empty when they are the same.
std::string difference(const LaneFile& expected, const LaneFile& got) {
  for (size_t at = 0; at < expected.bytes.size(); ++at)
    if (expected.bytes[at] != got.bytes[at]) {
      char text[120];
      std::snprintf(text, sizeof text, "byte %zu (row at %zu): expected %02x, got %02x", at,
                    at / 512 * 512 + 64, static_cast<unsigned>(expected.bytes[at]),
                    static_cast<unsigned>(got.bytes[at]));
      return text;
    }
  return {};
}

constexpr int kRounds = 16;

}  // namespace

TEST_CASE("every instruction set gives the same bits for every opcode") {
  const auto sets = supported_sets();
  const LaneTable& reference = lane_table(*sets.back());
  std::mt19937 random(1);
  for (const InstructionSet* set : sets) {
    REQUIRE(lane_table(*set).all().size() == reference.all().size());
    for (const LaneOp& op : reference.all()) {
      const LaneOp* other = lane_table(*set).find(op.opcode);
      REQUIRE(other != nullptr);
      for (int round = 0; round < kRounds; ++round) {
        LaneFile expected;
        randomise(expected, random);
        LaneFile got = expected;
        op.full(expected.bytes.data(), LaneFile::operands(), kAllLanes);
        other->full(got.bytes.data(), LaneFile::operands(), kAllLanes);
        const std::string wrong = difference(expected, got);
        if (!wrong.empty()) {
          FAIL_CHECK(op.opcode << " on " << set->name << " and " << sets.back()->name << ": " << wrong);
          break;
        }
      }
    }
  }
}

TEST_CASE("masked does what full does in its lanes and leaves everything else alone") {
  std::mt19937 random(2);
  for (const InstructionSet* set : supported_sets())
    for (const LaneOp& op : lane_table(*set).all())
      for (const uint32_t mask :
           {0u, 1u, 0x80000000u, 0x0000ffffu, 0x5555aaaau, kAllLanes, static_cast<uint32_t>(random())}) {
        LaneFile before;
        randomise(before, random);
        LaneFile expected = before, got = before;
        op.full(expected.bytes.data(), LaneFile::operands(), kAllLanes);
        blend(before, expected, LaneFile::operands(), op, mask);
        op.masked(got.bytes.data(), LaneFile::operands(), mask);
        const std::string wrong = difference(expected, got);
        if (!wrong.empty()) {
          FAIL_CHECK(op.opcode << " on " << set->name << " mask " << std::hex << mask << ": " << wrong);
          break;
        }
      }
}

TEST_CASE("full writes its destinations only, and reads no lane but its own") {
  std::mt19937 random(3);
  for (const InstructionSet* set : supported_sets())
    for (const LaneOp& op : lane_table(*set).all()) {
      LaneFile before;
      randomise(before, random);
      LaneFile all = before;
      op.full(all.bytes.data(), LaneFile::operands(), kAllLanes);
      // Nothing outside the destinations and the carry changed.
      LaneFile restored = all;
      blend(before, restored, LaneFile::operands(), op, 0);
      const std::string outside = difference(before, restored);
      if (!outside.empty()) FAIL_CHECK(op.opcode << " on " << set->name << " writes elsewhere: " << outside);
      // With every other lane's sources changed, one lane's result stays.
      if (reads_uniform_operand(op)) continue;
      const int lane = static_cast<int>(random() % kLanes);
      LaneFile scrambled = before;
      const RowOffset rows[] = {LaneFile::kA, LaneFile::kB, LaneFile::kC, LaneFile::kD};
      const RowType types[] = {op.a, op.b, op.c, op.d};
      for (int i = 0; i < 4; ++i)
        for (int l = 0; l < kLanes; ++l)
          if (types[i] != RowType::none && l != lane)
            scrambled.set(rows[i], types[i], l, interesting_word(random));
      op.full(scrambled.bytes.data(), LaneFile::operands(), kAllLanes);
      if (scrambled.get(LaneFile::kDst, op.dst, lane) != all.get(LaneFile::kDst, op.dst, lane))
        FAIL_CHECK(op.opcode << " on " << set->name << ": lane " << lane << " depends on another lane");
    }
}

TEST_CASE("a destination may be one of the sources") {
  std::mt19937 random(4);
  for (const InstructionSet* set : supported_sets())
    for (const LaneOp& op : lane_table(*set).all()) {
      const RowOffset rows[] = {LaneFile::kA, LaneFile::kB, LaneFile::kC, LaneFile::kD};
      const RowType types[] = {op.a, op.b, op.c, op.d};
      for (int i = 0; i < 4; ++i) {
        if (types[i] != op.dst) continue;
        LaneFile apart;
        randomise(apart, random);
        LaneFile in_place = apart;
        op.full(apart.bytes.data(), LaneFile::operands(), kAllLanes);
        LaneOperands operands = LaneFile::operands();
        operands.dst = rows[i];
        op.full(in_place.bytes.data(), operands, kAllLanes);
        const int bytes = op.dst == RowType::pred ? 4 : kLanes * bytes_of(op.dst);
        if (std::memcmp(&apart.bytes[LaneFile::kDst], &in_place.bytes[rows[i]], bytes) != 0)
          FAIL_CHECK(op.opcode << " on " << set->name << ": differs when the destination is source " << i);
      }
    }
}
