// Live ranges of registers, and the rows that they share.
#include "virtual_gpu/machine/program/register_allocation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "virtual_gpu/machine/decode/opcode_parts.h"
#include "virtual_gpu/machine/program/register_use.h"

namespace ridge::machine {
namespace {

using Operand = ptx::Operand;
using Bits = std::vector<uint64_t>;

struct Touched {
  std::vector<uint32_t> reads, writes;  // registers; a write without a read begins a live range
  // For the registers that are unset, so that none is named by mistake: what every such instruction
  // reads, and what it may write, be it in some lanes only.
  std::vector<uint32_t> sure_reads, possible_writes;
};

struct BasicBlock {
  uint32_t first = 0, end = 0;
  std::vector<uint32_t> successors;
  Bits defined_first, used, live_in, live_out;  // defined_first: written here before it is read
};

class RegisterAllocator {
 public:
  RegisterAllocator(const ptx::Function& function, const RegisterType& type_of)
      : function_(function), type_of_(type_of) {}

  RowAllocation run() {
    for (const ptx::Instruction& instruction : function_.instructions) {
      // Its registers are read and written while the warp continues.
      if (register_use(OpcodeParts(instruction.opcode).base()) == RegisterUse::asynchronous)
        return {};
      touches_.push_back(touch(instruction));
    }
    words_ = (types_.size() + 63) / 64;
    if (types_.empty() || !make_blocks()) return {};
    find_live(&Touched::reads, &Touched::writes);
    RowAllocation result{assign_rows(), {}};
    if (!live_at_entry().empty()) {
      find_live(&Touched::sure_reads, &Touched::possible_writes);
      result.unset = live_at_entry();
    }
    return result;
  }

 private:
  std::optional<uint32_t> register_of(const std::string& name) {
    if (!name.starts_with('%') || name.find('.') != std::string::npos) return std::nullopt;
    const auto [it, is_new] = ids_.try_emplace(name, static_cast<uint32_t>(types_.size()));
    if (!is_new) return it->second == kNone ? std::nullopt : std::optional(it->second);
    const RowType type = type_of_(name);
    if (type == RowType::none) {
      it->second = kNone;
      return std::nullopt;
    }
    types_.push_back(type);
    return it->second;
  }

  void collect(const Operand& operand, std::vector<uint32_t>& into) {
    if (const auto id = register_of(operand.name)) into.push_back(*id);
    for (const Operand& element : operand.elements)
      collect(element, into);
  }

  Touched touch(const ptx::Instruction& instruction) {
    Touched result;
    if (const auto id = register_of(instruction.guard)) result.reads.push_back(*id);
    const OpcodeParts parts(instruction.opcode);
    const bool writes_first = register_use(parts.base()) == RegisterUse::writes_first;
    const bool is_store = parts.base() == "st";
    result.sure_reads = result.reads;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand& operand = instruction.operands[i];
      const bool may_be_written = i == 0 && operand.kind != Operand::Kind::address && !is_store;
      collect(operand, may_be_written && writes_first && instruction.guard.empty() ? result.writes
                                                                                   : result.reads);
      if (may_be_written)
        collect(operand, result.possible_writes);
      else if (writes_first || is_store)
        collect(operand, result.sure_reads);
    }
    return result;
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

  static bool has(const Bits& bits, uint32_t id) { return bits[id / 64] >> (id % 64) & 1; }
  static void put(Bits& bits, uint32_t id) { bits[id / 64] |= uint64_t{1} << (id % 64); }

  void find_live(std::vector<uint32_t> Touched::*reads, std::vector<uint32_t> Touched::*writes) {
    for (BasicBlock& block : blocks_) {
      block.defined_first.assign(words_, 0);
      block.used.assign(words_, 0);
      block.live_in.assign(words_, 0);
      block.live_out.assign(words_, 0);
      for (uint32_t i = block.first; i < block.end; ++i) {
        for (const uint32_t id : touches_[i].*reads)
          if (!has(block.defined_first, id)) put(block.used, id);
        for (const uint32_t id : touches_[i].*writes)
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

  std::vector<std::string> live_at_entry() const {
    std::vector<std::string> names;
    for (const auto& [name, id] : ids_)
      if (id != kNone && has(blocks_.front().live_in, id)) names.push_back(name);
    return names;
  }

  // A live range extends from its first to its last instruction in the order of the text.
  std::unordered_map<std::string, uint32_t> assign_rows() {
    struct LiveRange {
      uint32_t begin = kNone, end = 0;
    };
    std::vector<LiveRange> live_ranges(types_.size());
    const auto extend = [&](uint32_t id, uint32_t at) {
      live_ranges[id].begin = std::min(live_ranges[id].begin, at);
      live_ranges[id].end = std::max(live_ranges[id].end, at);
    };
    for (const BasicBlock& block : blocks_) {
      for (uint32_t id = 0; id < types_.size(); ++id) {
        if (has(block.live_in, id)) extend(id, block.first);
        if (has(block.live_out, id)) extend(id, block.end - 1);
      }
      for (uint32_t i = block.first; i < block.end; ++i) {
        for (const uint32_t id : touches_[i].reads)
          extend(id, i);
        for (const uint32_t id : touches_[i].writes)
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
    struct Numbers {
      std::multimap<uint32_t, uint32_t> taken;  // by end of the live range
      std::vector<uint32_t> free;
      uint32_t count = 0;
    };
    std::map<RowType, Numbers> by_type;
    std::vector<uint32_t> number(types_.size());
    for (const uint32_t id : order) {
      Numbers& numbers = by_type[types_[id]];
      while (!numbers.taken.empty() && numbers.taken.begin()->first < live_ranges[id].begin) {
        numbers.free.push_back(numbers.taken.begin()->second);
        numbers.taken.erase(numbers.taken.begin());
      }
      if (numbers.free.empty()) numbers.free.push_back(numbers.count++);
      number[id] = numbers.free.back();
      numbers.free.pop_back();
      numbers.taken.emplace(live_ranges[id].end, number[id]);
    }
    std::unordered_map<std::string, uint32_t> result;
    for (const auto& [name, id] : ids_)
      if (id != kNone && live_ranges[id].begin != kNone) result[name] = number[id];
    return result;
  }

  static constexpr uint32_t kNone = ~0u;
  const ptx::Function& function_;
  const RegisterType& type_of_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<RowType> types_;
  std::vector<Touched> touches_;
  std::vector<BasicBlock> blocks_;
  size_t words_ = 0;
};

}  // namespace

RowAllocation allocate_rows(const ptx::Function& function, const RegisterType& type_of) {
  return RegisterAllocator(function, type_of).run();
}

}  // namespace ridge::machine
