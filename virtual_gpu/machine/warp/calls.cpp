// Frames: registers and local memory of each activation, arguments and results.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {
namespace {

constexpr uint32_t kWarpsPerMultiprocessor = 64;  // of compute capability 8.0 and 9.0

constexpr uint32_t kMaxDepth = 4096;
constexpr uint32_t kMaxLocalBytes = 512 * 1024;  // per thread, as in hardware

void fill_row(std::byte* registers, const ConstantRow& row) {
  std::byte* at = registers + row.row;
  switch (row.type) {
    case RowType::pred: {
      const uint32_t value = static_cast<uint32_t>(row.value);
      std::memcpy(at, &value, sizeof value);
      break;
    }
    case RowType::b32:
      std::fill_n(reinterpret_cast<uint32_t*>(at), kLanes, static_cast<uint32_t>(row.value));
      break;
    case RowType::b64:
      std::fill_n(reinterpret_cast<uint64_t*>(at), kLanes, row.value);
      break;
    case RowType::b128:
      for (int lane = 0; lane < kLanes; ++lane) {
        reinterpret_cast<uint64_t*>(at)[2 * lane] = row.value;
        reinterpret_cast<uint64_t*>(at)[2 * lane + 1] =
            static_cast<int64_t>(row.value) < 0 ? ~0ull : 0;
      }
      break;
    case RowType::none:
      break;
  }
}

bool depends_on_block(Special special) {
  switch (special) {
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::smid:
    case Special::cluster_id_x:
    case Special::cluster_id_y:
    case Special::cluster_id_z:
    case Special::cluster_rank:
    case Special::cluster_block_x:
    case Special::cluster_block_y:
    case Special::cluster_block_z:
      return true;
    default:
      return false;
  }
}

uint64_t special_value(Special special, const Launch& launch, const Block& block, uint32_t warp,
                       uint32_t lane) {
  const LaunchConfig& config = launch.config;
  const uint32_t thread = warp * kLanes + lane;
  switch (special) {
    case Special::tid_x:
      return thread % config.block.x;
    case Special::tid_y:
      return thread / config.block.x % config.block.y;
    case Special::tid_z:
      return thread / config.block.x / config.block.y;
    case Special::ntid_x:
      return config.block.x;
    case Special::ntid_y:
      return config.block.y;
    case Special::ntid_z:
      return config.block.z;
    case Special::ctaid_x:
      return block.index.x;
    case Special::ctaid_y:
      return block.index.y;
    case Special::ctaid_z:
      return block.index.z;
    case Special::nctaid_x:
      return config.grid.x;
    case Special::nctaid_y:
      return config.grid.y;
    case Special::nctaid_z:
      return config.grid.z;
    case Special::cluster_id_x:
      return block.index.x / launch.cluster.x;
    case Special::cluster_id_y:
      return block.index.y / launch.cluster.y;
    case Special::cluster_id_z:
      return block.index.z / launch.cluster.z;
    case Special::cluster_count_x:
      return config.grid.x / launch.cluster.x;
    case Special::cluster_count_y:
      return config.grid.y / launch.cluster.y;
    case Special::cluster_count_z:
      return config.grid.z / launch.cluster.z;
    case Special::cluster_block_x:
      return block.index.x % launch.cluster.x;
    case Special::cluster_block_y:
      return block.index.y % launch.cluster.y;
    case Special::cluster_block_z:
      return block.index.z % launch.cluster.z;
    case Special::cluster_size_x:
      return launch.cluster.x;
    case Special::cluster_size_y:
      return launch.cluster.y;
    case Special::cluster_size_z:
      return launch.cluster.z;
    case Special::cluster_rank:
      return block.rank;
    case Special::cluster_blocks:
      return launch.cluster_blocks;
    case Special::cluster_is_explicit:
      return launch.is_explicit_cluster ? 1 : 0;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp;
    case Special::nwarpid:
      return kWarpsPerMultiprocessor;
    case Special::smid:
      return block.linear % std::max(1u, config.multiprocessors);
    case Special::nsmid:
      return config.multiprocessors;
    case Special::gridid:
      return 1;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_lt:
      return (1u << lane) - 1;
    case Special::lanemask_le:
      return (2ull << lane) - 1;
    case Special::lanemask_gt:
      return kAllLanes & ~((2ull << lane) - 1);
    case Special::lanemask_ge:
      return kAllLanes & ~((1ull << lane) - 1);
    case Special::dynamic_shared:
      return config.dynamic_shared_bytes;
    case Special::total_shared:
      return launch.shared_bytes;
    case Special::grid_workspace_high:
      return config.grid_workspace >> 32;
    case Special::grid_workspace_low:
      return config.grid_workspace & 0xffffffffu;
    case Special::reserved_shared_middle:
      return launch.program.info.reserved_shared_bytes / 2;
    case Special::reserved_shared_end:
      return launch.program.info.reserved_shared_bytes;
    case Special::zero:
      return 0;
  }
  return 0;
}

// Copies between the caller's value and the words of a .param row. A register of 8 bytes per lane
// is two words.
void copy_words(const std::byte* from, bool from_wide, std::byte* to, bool to_wide, uint32_t words,
                uint32_t mask) {
  for (uint32_t word = 0; word < words; ++word) {
    const auto at = [word](bool wide, int lane) {
      return wide ? static_cast<size_t>(lane) * 2 + word
                  : word * kLanes + static_cast<size_t>(lane);
    };
    const auto* source = reinterpret_cast<const uint32_t*>(from);
    auto* target = reinterpret_cast<uint32_t*>(to);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (mask >> lane & 1) target[at(to_wide, lane)] = source[at(from_wide, lane)];
    }
  }
}

void copy_values(const std::byte* from, const std::vector<ParameterSlot>& from_slots, std::byte* to,
                 const std::vector<ParameterSlot>& to_slots, uint32_t mask) {
  for (size_t i = 0; i < std::min(from_slots.size(), to_slots.size()); ++i) {
    copy_words(from + from_slots[i].row, from_slots[i].wide_register, to + to_slots[i].row,
               to_slots[i].wide_register, std::min(from_slots[i].words, to_slots[i].words), mask);
  }
}

}  // namespace

AlignedBytes allocate_aligned(size_t bytes) {
  const size_t rounded = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(64, rounded));
  if (memory == nullptr) throw std::bad_alloc();
  return AlignedBytes(memory);
}

Frame* Core::activate(uint32_t function, Frame* caller, uint32_t call_pc, uint32_t lanes) {
  Warp& warp = *context_.warp;
  for (const auto& frame : warp.frames) {
    if (frame->function == function && frame->caller == caller && frame->call_pc == call_pc) {
      frame->lanes |= lanes;
      return frame.get();
    }
  }
  const FunctionCode& code = context_.program.functions[function];
  if (warp.free_frames.size() < context_.program.functions.size())
    warp.free_frames.resize(context_.program.functions.size());
  auto& available = warp.free_frames[function];
  const bool is_new = available.empty();
  if (is_new) {
    auto frame = std::make_unique<Frame>();
    frame->function = function;
    frame->registers = allocate_aligned(code.register_bytes);
    std::memset(frame->registers.get(), 0, code.register_bytes);
    for (const ConstantRow& constant : code.constants)
      fill_row(frame->registers.get(), constant);
    available.push_back(std::move(frame));
  }
  warp.frames.push_back(std::move(available.back()));
  available.pop_back();
  Frame& frame = *warp.frames.back();
  frame.caller = caller;
  frame.call_pc = call_pc;
  frame.depth = caller == nullptr ? 0 : caller->depth + 1;
  frame.lanes = lanes;
  frame.local_base = caller == nullptr ? 0 : caller->local_top;
  frame.local_top = frame.local_base + code.local_bytes;
  if (caller == nullptr && frame.local_top > kMaxLocalBytes) {
    context_.fault(Fault::Kind::trap,
                   {context_.block, warp.index, static_cast<uint32_t>(std::countr_zero(lanes)), code.first},
                   fmt::format("Local memory: \x01 declares {} bytes of local arrays, and a thread can have {}",
                               frame.local_top, kMaxLocalBytes),
                   "put arrays of this size into shared or global memory, a part per block",
                   {"local_memory",
                    {{"bytes", std::to_string(frame.local_top)}, {"limit", std::to_string(kMaxLocalBytes)}}});
  }
  if (frame.depth > kMaxDepth || frame.local_top > kMaxLocalBytes) {
    context_.fault(Fault::Kind::trap, context_.culprit(std::countr_zero(lanes)),
                   fmt::format("Stack overflow: {} calls deep, {} bytes of local memory per thread",
                               frame.depth, frame.local_top),
                   "give the recursion an end, or turn it into a loop",
                   {"stack_overflow", {{"depth", std::to_string(frame.depth)}}});
  }
  ensure_local(frame.local_top);
  refresh_specials(frame, is_new);
  for (const LocalAddressRow& local : code.local_addresses) {
    fill_row(frame.registers.get(), {local.row, local.type, frame.local_base + local.offset});
  }
  return &frame;
}

void Core::refresh_specials(Frame& frame, bool all) const {
  for (const SpecialRow& special : context_.program.functions[frame.function].specials) {
    if (!all && !depends_on_block(special.special)) continue;
    std::byte* at = frame.registers.get() + special.row;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t value = special_value(special.special, context_.launch, *context_.block,
                                           context_.warp->index, lane);
      if (special.type == RowType::pred)
        reinterpret_cast<uint32_t*>(at)[0] = value != 0 ? kAllLanes : 0;
      else if (special.type == RowType::b64)
        reinterpret_cast<uint64_t*>(at)[lane] = value;
      else
        reinterpret_cast<uint32_t*>(at)[lane] = static_cast<uint32_t>(value);
    }
  }
}

void Core::release_frame(Frame* frame) {
  auto& frames = context_.warp->frames;
  const auto it =
      std::find_if(frames.begin(), frames.end(), [&](const auto& f) { return f.get() == frame; });
  frame->caller = nullptr;
  context_.warp->free_frames[frame->function].push_back(std::move(*it));
  *it = std::move(frames.back());
  frames.pop_back();
}

void Core::ensure_local(uint32_t bytes_per_thread) {
  const size_t needed = size_t{(bytes_per_thread + 15) / 16 * 16} * kLanes;
  if (context_.warp->local.size() < needed)
    context_.warp->local.resize(std::max(needed, 2 * context_.warp->local.size()));
}

uint32_t Core::indirect_callee(const CallOp& call, uint32_t mask, uint32_t& group) const {
  const uint64_t* target = context_.row<uint64_t>(call.target);
  const int leader = std::countr_zero(mask);
  group = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (target[lane] == target[leader]) group |= 1u << lane;
  }
  const auto it = context_.program.function_at.find(target[leader]);
  if (it == context_.program.function_at.end() || it->second == 0) {
    context_.fault(
        Fault::Kind::trap, context_.culprit(leader),
        fmt::format("Bad call: {:#x} is not the address of a device function", target[leader]),
        "set the function pointer on the device: an address taken in host code means nothing here");
  }
  return it->second;
}

void Core::call(Split& split, const MicroOp& op) {
  const CallOp& call = context_.program.calls[op.detail];
  if (call.builtin != Builtin::none) {
    builtin(call, split.mask);
    split.pc = context_.pc + 1;
    return;
  }
  --context_.slice_budget;
  uint32_t remaining = split.mask;
  Frame* const caller = split.frame;
  for (bool is_first = true; remaining != 0; is_first = false) {
    uint32_t group = remaining;
    const uint32_t callee =
        call.callee != kNoTarget ? call.callee : indirect_callee(call, remaining, group);
    remaining &= ~group;
    Frame* const frame = activate(callee, caller, context_.pc, group);
    copy_values(caller->registers.get(), call.arguments, frame->registers.get(),
                context_.program.functions[callee].parameters, group);
    Split& target = is_first ? split : context_.add_split(split, 0, group);
    target.frame = frame;
    target.mask = group;
    target.pc = context_.program.functions[callee].first;
  }
}

void Core::return_lanes(Split& split) {
  Frame* const frame = split.frame;
  if (frame->caller == nullptr) {
    exit_lanes(split, split.mask);
    return;
  }
  const CallOp& call = context_.program.calls[context_.program.ops[frame->call_pc].detail];
  copy_values(frame->registers.get(), context_.program.functions[frame->function].results,
              frame->caller->registers.get(), call.results, split.mask);
  split.frame = frame->caller;
  split.pc = frame->call_pc + 1;
  frame->lanes &= ~split.mask;
  if (frame->lanes == 0) release_frame(frame);
}

// alloca: the frame's lanes share one stack top, so all of them get room for the largest request.
void Core::allocate_stack(const MicroOp& op, uint32_t mask) {
  uint64_t bytes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (mask >> lane & 1)
      bytes = std::max<uint64_t>(bytes, op.detail ? context_.row<uint64_t>(op.operands.a)[lane]
                                                  : context_.row<uint32_t>(op.operands.a)[lane]);
  }
  const uint64_t begin = (context_.frame->local_top + op.target - 1) / op.target * op.target;
  if (begin + bytes > kMaxLocalBytes) {
    context_.fault(
        Fault::Kind::trap, context_.culprit(std::countr_zero(mask)),
        fmt::format("Stack overflow: alloca of {} bytes, {} bytes of local memory per thread", bytes,
                    begin + bytes),
        "use shared or global memory for arrays of this size");
  }
  context_.frame->local_top = static_cast<uint32_t>((begin + bytes + 15) / 16 * 16);
  ensure_local(context_.frame->local_top);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    if (op.detail)
      context_.row<uint64_t>(op.operands.dst)[lane] = begin;
    else
      context_.row<uint32_t>(op.operands.dst)[lane] = static_cast<uint32_t>(begin);
  }
}

void Core::save_stack(const MicroOp& op, uint32_t mask) {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    if (op.detail)
      context_.row<uint64_t>(op.operands.dst)[lane] = context_.frame->local_top;
    else
      context_.row<uint32_t>(op.operands.dst)[lane] = context_.frame->local_top;
  }
}

void Core::restore_stack(const MicroOp& op, uint32_t mask) {
  const int lane = std::countr_zero(mask);
  const uint64_t top = op.detail ? context_.row<uint64_t>(op.operands.a)[lane]
                                 : context_.row<uint32_t>(op.operands.a)[lane];
  if (mask == context_.frame->lanes && top >= context_.frame->local_base &&
      top <= context_.frame->local_top)
    context_.frame->local_top = static_cast<uint32_t>(top);
}

}  // namespace ridge::machine
