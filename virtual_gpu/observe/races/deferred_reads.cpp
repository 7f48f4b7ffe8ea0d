#include "virtual_gpu/observe/races/deferred_reads.h"

#include <algorithm>
#include <bit>

namespace ridge::observe {
namespace {

using machine::Access;
using machine::MaskableRead;
using machine::MicroOp;
using machine::OpKind;
using machine::RowOffset;

// An operand of and.pred, or.pred or selp. A negated operand is stored inverted from `target` in
// `detail`.
struct Side {
  RowOffset row;
  bool negated;
};
Side side_of(const MicroOp& op, RowOffset operand) {
  const bool negated = op.kind == OpKind::lane_not && operand == op.detail;
  return {negated ? op.target : operand, negated};
}

uint32_t value_of(const std::byte* registers, Side side) {
  const uint32_t stored = *reinterpret_cast<const uint32_t*>(registers + side.row);
  return side.negated ? ~stored : stored;
}

}  // namespace

const MaskableRead* DeferredReads::path_of(const machine::Program& program, const Access& access) {
  const auto& reads = program.maskable_reads;
  const auto found = std::lower_bound(reads.begin(), reads.end(), access.instruction,
                                      [](const MaskableRead& read, uint32_t at) { return read.load < at; });
  return found == reads.end() || found->load != access.instruction ? nullptr : &*found;
}

bool DeferredReads::add(const machine::Program& program, const MaskableRead& path, const Access& access,
                        const void* frame, SharedShadow& shared) {
  std::vector<Read>& all = warps_[access.warp];
  // Earlier reads of the lanes there are overwritten.
  for (Read& old : all) {
    if (old.path != &path || old.frame != frame) continue;
    for (Value& value : old.values)
      value.lanes &= ~access.mask;
  }
  if (followed_ == kMostFollowed) return false;
  ++followed_;
  Read read;
  read.path = &path;
  read.access = access;
  machine::fill_addresses(access, read.addresses.data());
  read.frame = frame;
  read.values.resize(path.steps.size() + 1);
  const machine::MemoryOp& memory = program.memory[program.ops[path.load].detail];
  read.values[0] = {memory.values[0], access.mask};
  read.stamp = shared.advance_clock().stamp(access.warp);
  read.racing = shared.lanes_behind_writers(access, read.writers);
  all.push_back(std::move(read));
  return true;
}

// Lanes whose result depends on the value that was read.
uint32_t DeferredReads::used_lanes(const std::byte* registers, const Read& read, const MaskableRead::Step& step,
                                   const MicroOp& op, std::string_view opcode) {
  const auto lanes_in = [&](Side side) {
    uint32_t lanes = 0;
    for (const uint8_t number : step.reads) {
      if (read.values[number].row == side.row) lanes |= read.values[number].lanes;
    }
    return lanes;
  };
  const Side a = side_of(op, op.operands.a), b = side_of(op, op.operands.b);
  if (opcode.starts_with("selp.")) {
    const uint32_t first = value_of(registers, side_of(op, op.operands.c));
    return (lanes_in(a) & first) | (lanes_in(b) & ~first);
  }
  // false AND x is false, true OR x is true: then x does not matter.
  const uint32_t flip = opcode == "and.pred" ? 0 : ~0u;
  return (lanes_in(a) & (value_of(registers, b) ^ flip)) | (lanes_in(b) & (value_of(registers, a) ^ flip));
}

bool DeferredReads::before(const machine::Program& program, const std::byte* registers, const void* frame,
                           const machine::SteppedInstruction& stepped, SharedShadow& shared,
                           const std::vector<uint32_t>& sites, Access& access, SharedRace& race) {
  std::vector<Read>& all = warps_[stepped.warp];
  const MicroOp& op = program.ops[stepped.instruction];
  for (Read& read : all) {
    --read.steps_left;
    if (read.frame != frame) continue;
    const auto step = std::find_if(read.path->steps.begin(), read.path->steps.end(),
                                   [&](const auto& one) { return one.at == stepped.instruction; });
    if (step == read.path->steps.end()) continue;
    uint32_t lanes = 0;
    if (step->writes >= 0) {
      for (const uint8_t number : step->reads)
        lanes |= read.values[number].lanes;
      Value& written = read.values[static_cast<size_t>(step->writes)];
      written.row = op.operands.dst;
      written.lanes = (written.lanes & ~stepped.active) | (lanes & stepped.active);
      continue;
    }
    lanes = stepped.active &
            used_lanes(registers, read, *step, op, program.sources[stepped.instruction].opcode);
    if (lanes != 0 && confirm(read, lanes, shared, sites[read.access.instruction], access, race)) return true;
  }
  const uint32_t last = stepped.instruction;
  std::erase_if(all, [&](const Read& read) {
    if (read.steps_left == 0 || (read.frame == frame && op.kind == OpKind::exit)) return true;
    return read.frame == frame && last == read.path->steps.back().at && (read.access.mask & ~stepped.active) == 0;
  });
  return false;
}

// Lanes use the value: their read counts at the time of the load.
bool DeferredReads::confirm(Read& read, uint32_t lanes, SharedShadow& shared, uint32_t site, Access& access,
                            SharedRace& race) {
  access = read.access;
  access.mask = lanes;
  access.shape = machine::AccessShape::scattered;
  access.addresses = read.addresses.data();
  access.first = read.addresses[static_cast<size_t>(std::countr_zero(lanes))];
  access.repeats = false;
  uint32_t racing = lanes & read.racing;
  std::array<Cell, 32>* writers = &read.writers;
  std::array<Cell, 32> later;
  if (racing == 0 && shared.advance_clock().stamp(access.warp) == read.stamp) {
    UndefinedLanes none;
    return shared.load(access, site, nullptr, none, race);
  }
  if (racing == 0) {  // written after the load, before the warp synchronised with another
    racing = shared.lanes_behind_writers(access, later, read.stamp);
    writers = &later;
  }
  if (racing == 0) return false;
  const auto lane = static_cast<uint32_t>(std::countr_zero(racing));
  const Cell& writer = (*writers)[lane];
  race = {access.warp * 32 + lane, writer.thread(), read.addresses[lane] / 4 * 4, writer.site(), true, false, false};
  return true;
}

}  // namespace ridge::observe
