// Live ranges of registers, and the rows that they share.
#include "virtual_gpu/machine/program/register_allocation.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

#include "virtual_gpu/machine/decode/opcode_parts.h"
#include "virtual_gpu/machine/program/register_use.h"

namespace ridge::machine {
namespace {

using Operand = ptx::Operand;
using Bits = std::span<uint64_t>;  // of RegisterAllocator::bits_

// The registers that each instruction touches.
class Touches {
 public:
  void add(uint32_t id) { ids_.push_back(id); }
  void reserve(size_t instructions) {
    ids_.reserve(2 * instructions);
    begins_.reserve(instructions + 1);
  }
  void end_instruction() { begins_.push_back(static_cast<uint32_t>(ids_.size())); }
  std::span<const uint32_t> of(uint32_t instruction) const {
    return std::span(ids_).subspan(begins_[instruction],
                                   begins_[instruction + 1] - begins_[instruction]);
  }

 private:
  std::vector<uint32_t> ids_, begins_{0};
};

struct Accesses {
  Touches reads, writes;  // a write without a read begins a live range
  void reserve(size_t instructions) {
    reads.reserve(instructions);
    writes.reserve(instructions);
  }
};

struct BasicBlock {
  uint32_t first = 0, end = 0;
  std::vector<uint32_t> successors;
  Bits defined_first, used, live_in, live_out;  // defined_first: written here before it is read
};

class RegisterAllocator {
 public:
  RegisterAllocator(const ptx::Function& function, const RegisterType& type_of)
      : function_(function), type_of_(type_of), ids_(function.register_count, kUnseen) {}

  RowAllocation run() {
    accesses_.reserve(function_.instructions.size());
    for (const ptx::Instruction& instruction : function_.instructions) {
      const std::string_view base = OpcodeParts(instruction.opcode).base();
      const auto use = register_use(base);
      // Its registers are read and written while the warp continues.
      if (use == RegisterUse::asynchronous) return {};
      touch(instruction, base, use == RegisterUse::writes_first, accesses_);
    }
    words_ = (types_.size() + 63) / 64;
    if (types_.empty() || !make_blocks()) return {};
    find_live(accesses_);
    RowAllocation result{assign_rows(), {}};
    if (!live_at_entry().empty()) {
      Accesses sure;
      for (const ptx::Instruction& instruction : function_.instructions)
        touch_surely(instruction, sure);
      find_live(sure);
      result.unset = live_at_entry();
    }
    return result;
  }

 private:
  // kNone for a part of a vector register, which has its own row, and for what is no register.
  uint32_t id_of(const Operand& operand) {
    if (operand.number == ptx::kNoRegister) return kNone;
    uint32_t& id = ids_[operand.number];
    if (id != kUnseen) return id;
    const bool is_part = operand.name.find('.') != std::string_view::npos;
    const RowType type = is_part ? RowType::none : type_of_(operand);
    if (type == RowType::none) return id = kNone;
    id = static_cast<uint32_t>(types_.size());
    types_.push_back(type);
    return id;
  }

  void read_guard(const ptx::Instruction& instruction, Accesses& into) {
    if (instruction.guard.empty()) return;
    const uint32_t id = id_of(guard_operand(instruction));
    if (id != kNone) into.reads.add(id);
  }

  void collect(const Operand& operand, Touches& into) {
    if (const uint32_t id = id_of(operand); id != kNone) into.add(id);
    for (const Operand& element : operand.elements)
      collect(element, into);
  }

  static bool may_be_written(const ptx::Instruction& instruction, size_t operand,
                             std::string_view base) {
    return operand == 0 && instruction.operands[0].kind != Operand::Kind::address && base != "st";
  }

  void touch(const ptx::Instruction& instruction, std::string_view base, bool writes_first,
             Accesses& into) {
    read_guard(instruction, into);
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const bool begins =
          writes_first && instruction.guard.empty() && may_be_written(instruction, i, base);
      collect(instruction.operands[i], begins ? into.writes : into.reads);
    }
    into.reads.end_instruction();
    into.writes.end_instruction();
  }

  // For the registers that are unset, so that none is named by mistake: what every such instruction
  // reads, and what it may write, be it in some lanes only.
  void touch_surely(const ptx::Instruction& instruction, Accesses& into) {
    read_guard(instruction, into);
    const std::string_view base = OpcodeParts(instruction.opcode).base();
    const bool writes_first = register_use(base) == RegisterUse::writes_first;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      if (may_be_written(instruction, i, base))
        collect(instruction.operands[i], into.writes);
      else if (writes_first || base == "st")
        collect(instruction.operands[i], into.reads);
    }
    into.reads.end_instruction();
    into.writes.end_instruction();
  }

  bool make_blocks() {
    const auto count = static_cast<uint32_t>(function_.instructions.size());
    std::vector<bool> leader(count + 1, false);
    leader[0] = true;
    for (const auto& [label, index] : function_.labels)
      leader[std::min(index, count)] = true;
    const auto base_of = [&](uint32_t i) {
      return OpcodeParts(function_.instructions[i].opcode).base();
    };
    const auto leaves = [&](uint32_t i) {
      const std::string_view base = base_of(i);
      return base == "bra" || base == "brx" || base == "ret" || base == "exit" || base == "trap";
    };
    for (uint32_t i = 0; i < count; ++i)
      if (leaves(i)) leader[i + 1] = true;
    std::vector<uint32_t> block_of(count + 1, kNone);
    for (uint32_t i = 0; i < count; ++i) {
      if (leader[i]) blocks_.push_back(BasicBlock{i, i, {}, {}, {}, {}, {}});
      blocks_.back().end = i + 1;
      block_of[i] = static_cast<uint32_t>(blocks_.size() - 1);
    }
    for (BasicBlock& block : blocks_) {
      const ptx::Instruction& last = function_.instructions[block.end - 1];
      const std::string_view base = base_of(block.end - 1);
      const auto add = [&](uint32_t instruction) {
        if (instruction < count) block.successors.push_back(block_of[instruction]);
      };
      if (!leaves(block.end - 1) || !last.guard.empty()) add(block.end);
      if (base == "bra") {
        const auto label = last.operands.empty() ? function_.labels.end()
                                                 : function_.labels.find(last.operands[0].name);
        if (label == function_.labels.end()) return false;
        add(label->second);
      } else if (base == "brx") {
        for (const auto& [label, index] : function_.labels)
          add(index);
      }
    }
    return true;
  }

  static bool has(Bits bits, uint32_t id) { return bits[id / 64] >> (id % 64) & 1; }
  static void put(Bits bits, uint32_t id) { bits[id / 64] |= uint64_t{1} << (id % 64); }
  template <class Visit>
  static void for_each(Bits bits, const Visit& visit) {
    for (size_t word = 0; word < bits.size(); ++word) {
      for (uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
        visit(static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(rest)));
    }
  }

  void find_live(const Accesses& accesses) {
    bits_.assign(blocks_.size() * 4 * words_, 0);
    uint64_t* next_bits = bits_.data();
    for (BasicBlock& block : blocks_) {
      for (Bits* set : {&block.defined_first, &block.used, &block.live_in, &block.live_out}) {
        *set = {next_bits, words_};
        next_bits += words_;
      }
      for (uint32_t i = block.first; i < block.end; ++i) {
        for (const uint32_t id : accesses.reads.of(i))
          if (!has(block.defined_first, id)) put(block.used, id);
        for (const uint32_t id : accesses.writes.of(i))
          if (!has(block.used, id)) put(block.defined_first, id);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks_.size(); b-- > 0;) {
        BasicBlock& block = blocks_[b];
        for (size_t w = 0; w < words_; ++w) {
          uint64_t out = 0;
          for (const uint32_t next : block.successors)
            out |= blocks_[next].live_in[w];
          const uint64_t in = block.used[w] | (out & ~block.defined_first[w]);
          changed |= in != block.live_in[w];
          block.live_out[w] = out;
          block.live_in[w] = in;
        }
      }
    }
  }

  std::vector<ptx::RegisterNumber> live_at_entry() const {
    std::vector<ptx::RegisterNumber> live;
    for (ptx::RegisterNumber reg = 0; reg < ids_.size(); ++reg)
      if (is_known(ids_[reg]) && has(blocks_.front().live_in, ids_[reg])) live.push_back(reg);
    return live;
  }

  // A live range extends from its first to its last instruction in the order of the text.
  std::vector<uint32_t> assign_rows() {
    struct LiveRange {
      uint32_t begin = kNone, end = 0;
    };
    std::vector<LiveRange> live_ranges(types_.size());
    const auto extend = [&](uint32_t id, uint32_t at) {
      live_ranges[id].begin = std::min(live_ranges[id].begin, at);
      live_ranges[id].end = std::max(live_ranges[id].end, at);
    };
    for (const BasicBlock& block : blocks_) {
      for_each(block.live_in, [&](uint32_t id) { extend(id, block.first); });
      for_each(block.live_out, [&](uint32_t id) { extend(id, block.end - 1); });
      for (uint32_t i = block.first; i < block.end; ++i) {
        for (const uint32_t id : accesses_.reads.of(i))
          extend(id, i);
        for (const uint32_t id : accesses_.writes.of(i))
          extend(id, i);
      }
    }
    std::vector<uint32_t> order;
    for (uint32_t id = 0; id < types_.size(); ++id)
      if (live_ranges[id].begin != kNone) order.push_back(id);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(live_ranges[a].begin, a) < std::pair(live_ranges[b].begin, b);
    });
    // Registers that one instruction reads and writes never share a row: operations may write
    // before they have read everything.
    struct Taken {
      uint32_t end, order, number;  // of the live range
      bool operator>(const Taken& other) const {
        return std::pair(end, order) > std::pair(other.end, other.order);
      }
    };
    struct Numbers {
      std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken;
      std::vector<uint32_t> free;
      uint32_t count = 0;
    };
    std::map<RowType, Numbers> by_type;
    uint32_t next_order = 0;
    std::vector<uint32_t> number(types_.size());
    for (const uint32_t id : order) {
      Numbers& numbers = by_type[types_[id]];
      while (!numbers.taken.empty() && numbers.taken.top().end < live_ranges[id].begin) {
        numbers.free.push_back(numbers.taken.top().number);
        numbers.taken.pop();
      }
      if (numbers.free.empty()) numbers.free.push_back(numbers.count++);
      number[id] = numbers.free.back();
      numbers.free.pop_back();
      numbers.taken.push({live_ranges[id].end, next_order++, number[id]});
    }
    std::vector<uint32_t> result(ids_.size(), kOwnRow);
    for (size_t reg = 0; reg < ids_.size(); ++reg) {
      const uint32_t id = ids_[reg];
      if (is_known(id) && live_ranges[id].begin != kNone) result[reg] = number[id];
    }
    return result;
  }

  static bool is_known(uint32_t id) { return id < kUnseen; }

  static constexpr uint32_t kNone = ~0u, kUnseen = ~0u - 1;
  const ptx::Function& function_;
  const RegisterType& type_of_;
  std::vector<uint32_t> ids_;  // by RegisterNumber; numbered in the order of the text
  std::vector<RowType> types_;
  Accesses accesses_;
  std::vector<BasicBlock> blocks_;
  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};

}  // namespace

RowAllocation allocate_rows(const ptx::Function& function, const RegisterType& type_of) {
  return RegisterAllocator(function, type_of).run();
}

}  // namespace ridge::machine
