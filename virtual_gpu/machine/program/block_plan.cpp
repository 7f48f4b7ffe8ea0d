// Analyses a basic block before it runs: runs of lane operations, and memory instructions that read
// the same address register without a write in between.
#include "virtual_gpu/machine/program/block_plan.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ridge::machine {
namespace {

// Memory instructions with the same address row, between two writes to it.
using Group = std::vector<MemoryOp*>;

class Planner {
 public:
  explicit Planner(Program& program) : program_(program) {}

  void plan(uint32_t first, uint32_t end) {
    for (uint32_t pc = first; pc < end; ++pc)
      look_at(program_.ops[pc]);
    close_all();
    uint16_t run = 0;
    for (uint32_t pc = end; pc-- > first;) {
      MicroOp& op = program_.ops[pc];
      run =
          op.kind == OpKind::lane ? static_cast<uint16_t>(std::min<int>(run + 1, kLongestRun)) : uint16_t{0};
      op.run = run;
    }
    uint32_t begin = first;
    for (uint32_t pc = first; pc < end; ++pc) {
      const MicroOp& op = program_.ops[pc];
      const bool goes_on =
          op.kind == OpKind::lane ||
          ((op.kind == OpKind::load || op.kind == OpKind::store) && (op.flags & (kGuarded | kPolls | kSignals)) == 0);
      if (!goes_on)
        begin = pc + 1;
      else if (++program_.ops[begin].stretch == kLongestRun)
        begin = pc + 1;
    }
  }

 private:
  void look_at(MicroOp& op) {
    switch (op.kind) {
      case OpKind::lane:
      case OpKind::lane_guarded:
      case OpKind::lane_not:
        close(op.operands.dst);
        if (op.operands.dst2 != 0) close(op.operands.dst2);
        break;
      case OpKind::load:
      case OpKind::store: {
        MemoryOp& memory = program_.memory[op.detail];
        if (!memory.fixed_address && !(op.flags & kGuarded)) open_[memory.address].push_back(&memory);
        if (op.kind == OpKind::load) close_values(memory);
        break;
      }
      case OpKind::load_parameter:
      case OpKind::load_slot:
        close_values(program_.memory[op.detail]);
        break;
      case OpKind::nothing:
      case OpKind::grid_dependency:
      case OpKind::prefetch:
      case OpKind::fence:
        break;
      default:
        close_all();
    }
  }
  void close_values(const MemoryOp& memory) {
    for (uint32_t k = 0; k < memory.count; ++k) {
      if (memory.values[k] != kNoRow) close(memory.values[k]);
    }
  }
  void close(RowOffset row) {
    if (const auto it = open_.find(row); it != open_.end()) {
      finish(it->second);
      open_.erase(it);
    }
  }
  void close_all() {
    for (auto& [row, group] : open_)
      finish(group);
    open_.clear();
  }
  // A slot is used for one group per block; otherwise its pattern would outlive the group.
  void finish(const Group& group) {
    if (group.size() < 2 || next_place_ == kPatternSlots) return;
    for (MemoryOp* memory : group)
      memory->pattern_slot = next_place_;
    ++next_place_;
  }

  Program& program_;
  std::unordered_map<RowOffset, Group> open_;
  uint8_t next_place_ = 1;  // 0: not shared
};

}  // namespace

void plan_block(Program& program, uint32_t first, uint32_t end) {
  Planner(program).plan(first, end);
}

}  // namespace ridge::machine
