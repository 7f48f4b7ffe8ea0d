// Classifies a PTX instruction by how shared memory serves it, and adds up the cost.
#include "warp_model/shared_memory/shared_access.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace ridge::warp_model {
namespace {

bool is_atomic(std::string_view opcode) {
  return opcode.starts_with("atom") || opcode.starts_with("red.");
}

// "atom.shared.add.u32" of "@%p1 atom.shared.add.u32 %r9, [%r8], 1".
std::string_view opcode_of(std::string_view instruction) {
  if (instruction.starts_with('@')) {
    const size_t blank = instruction.find(' ');
    instruction.remove_prefix(blank == std::string_view::npos ? instruction.size() : blank);
  }
  const size_t begin = std::min(instruction.find_first_not_of(" \t"), instruction.size());
  return instruction.substr(begin, instruction.find_first_of(" \t;", begin) - begin);
}

std::string_view type_of(std::string_view opcode) {
  const size_t dot = opcode.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : opcode.substr(dot + 1);
}

bool has_part(std::string_view opcode, std::string_view part) {
  for (size_t at = opcode.find('.'); at != std::string_view::npos; at = opcode.find('.', at + 1)) {
    const std::string_view rest = opcode.substr(at + 1);
    if (rest.substr(0, rest.find('.')) == part) return true;
  }
  return false;
}

// True when the addend is the constant 1.
bool adds_one(std::string_view instruction) {
  const size_t comma = instruction.rfind(',');
  if (comma == std::string_view::npos) return false;
  std::string_view value = instruction.substr(comma + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  return value.substr(0, value.find_first_of(" \t;")) == "1";
}

SharedAccess atomic_access_of(std::string_view instruction, std::string_view opcode, bool uses_result) {
  if (has_part(opcode, "cas")) return SharedAccess::atomic_compare_swap;
  if (has_part(opcode, "exch")) return SharedAccess::atomic;
  const std::string_view type = type_of(opcode);
  if (type.ends_with("64") || type.starts_with("f") || type.starts_with("bf"))
    return SharedAccess::atomic_loop;
  const bool increments = has_part(opcode, "add") && adds_one(instruction) && !uses_result;
  return increments ? SharedAccess::atomic_increment : SharedAccess::atomic;
}

bool is_register_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

// Calls act(name) for every register in the text: "%r9", "%rd4".
template <typename Act>
void for_each_register(std::string_view text, Act act) {
  for (size_t at = text.find('%'); at != std::string_view::npos;) {
    size_t end = at + 1;
    while (end < text.size() && is_register_letter(text[end]))
      ++end;
    act(text.substr(at, end - at));
    at = text.find('%', end);
  }
}

// The register that receives an atomic's old value; empty for `red` and for the sink `_`.
std::string_view result_of(std::string_view instruction) {
  const std::string_view opcode = opcode_of(instruction);
  if (!opcode.starts_with("atom")) return {};
  std::string_view operands = instruction.substr(
      static_cast<size_t>(opcode.data() - instruction.data()) + opcode.size());
  operands = operands.substr(0, operands.find(','));
  const size_t percent = operands.find('%');
  return percent == std::string_view::npos ? std::string_view() : operands.substr(percent);
}

}  // namespace

SharedAccess shared_access_of(std::string_view instruction, bool uses_result) {
  const std::string_view opcode = opcode_of(instruction);
  if (is_atomic(opcode)) return atomic_access_of(instruction, opcode, uses_result);
  return opcode.starts_with("ld.") ? SharedAccess::load : SharedAccess::store;
}

std::vector<SharedAccess> shared_accesses(std::span<const std::string_view> instructions) {
  // Only increments need to know whether their result is used; most kernels have none.
  std::unordered_map<std::string_view, uint32_t> times_named;
  for (const std::string_view one : instructions) {
    const std::string_view result = result_of(one);
    if (!result.empty() && adds_one(one)) times_named[result] = 0;
  }
  if (!times_named.empty())
    for (const std::string_view one : instructions)
      for_each_register(one, [&](std::string_view name) {
        if (const auto found = times_named.find(name); found != times_named.end()) ++found->second;
      });
  std::vector<SharedAccess> accesses;
  accesses.reserve(instructions.size());
  for (const std::string_view one : instructions) {
    const std::string_view result = result_of(one);
    const auto found = times_named.find(result);
    const bool uses_result = !result.empty() && (found == times_named.end() || found->second > 1);
    accesses.push_back(shared_access_of(one, uses_result));
  }
  return accesses;
}

SharedCost shared_cost_of(SharedAccess access, const uint64_t* addresses, uint32_t mask,
                          uint32_t bytes_per_lane) {
  if (access == SharedAccess::load) return shared_load_cost(addresses, mask, bytes_per_lane);
  if (access == SharedAccess::store || access == SharedAccess::atomic_increment)
    return shared_cost(addresses, mask, bytes_per_lane);
  if (access != SharedAccess::atomic_loop || mask == 0 || bytes_per_lane == 0) {
    SharedCost cost = shared_atomic_cost(addresses, mask, bytes_per_lane);
    if (access == SharedAccess::atomic_compare_swap) cost.wavefronts *= 2, cost.ideal_wavefronts *= 2;
    return cost;
  }
  const AtomicLoopCost loop = atomic_loop_cost(addresses, mask, bytes_per_lane);
  return {1, loop.load_wavefronts + loop.swap_wavefronts, loop.first_attempt_wavefronts,
          active_lanes(mask) * bytes_per_lane};
}

AtomicLoopCost atomic_loop_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  AtomicLoopCost cost;
  for (uint32_t pending = mask; pending != 0; ++cost.attempts) {
    const SharedCost load = shared_load_cost(addresses, pending, bytes_per_lane);
    uint32_t swaps = 0;
    const uint32_t succeeded =
        atomic_loop_attempt(addresses, pending, bytes_per_lane, [&](uint32_t, uint32_t) { swaps += 2; });
    if (pending == mask) cost.first_attempt_wavefronts = load.ideal_wavefronts + swaps;
    cost.load_wavefronts += load.wavefronts;
    cost.swap_wavefronts += swaps;
    pending &= ~succeeded;
  }
  return cost;
}

}  // namespace ridge::warp_model
