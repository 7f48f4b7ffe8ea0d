// Functions that kernels call and no module defines: printf, assert, malloc, free.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/print_format.h"

namespace ridge::machine {
namespace {

constexpr const char* kHeapOrigin = "malloc in a kernel";

constexpr size_t kLongestString = 1 << 16;

}  // namespace

uint64_t Core::argument(const CallOp& call, size_t index, int lane) const {
  if (index >= call.arguments.size()) return 0;
  const ParameterSlot& slot = call.arguments[index];
  if (slot.wide_register) return context_.row<uint64_t>(slot.row)[lane];
  const uint32_t* words = context_.row<uint32_t>(slot.row);
  const uint64_t low = words[lane];
  return slot.words < 2 ? low : low | uint64_t{words[kLanes + lane]} << 32;
}

void Core::set_result(const CallOp& call, int lane, uint64_t value) const {
  if (call.results.empty()) return;
  const ParameterSlot& slot = call.results[0];
  if (slot.wide_register) {
    context_.row<uint64_t>(slot.row)[lane] = value;
    return;
  }
  context_.row<uint32_t>(slot.row)[lane] = static_cast<uint32_t>(value);
  if (slot.words > 1)
    context_.row<uint32_t>(slot.row)[kLanes + lane] = static_cast<uint32_t>(value >> 32);
}

// malloc in a kernel: 0 when the heap (cudaLimitMallocHeapSize) is exhausted.
uint64_t Core::allocate_on_heap(uint64_t bytes) const {
  const LaunchConfig& config = context_.launch.config;
  if (config.heap_in_use != nullptr) {
    const uint64_t before = config.heap_in_use->fetch_add(bytes);
    if (bytes > config.heap_bytes || before > config.heap_bytes - bytes) {
      config.heap_in_use->fetch_sub(bytes);
      return 0;
    }
  }
  return context_.launch.memory.allocate(bytes, kHeapOrigin, false, config.arena).value_or(0);
}

// False if the pointer is not from malloc in a kernel, or was already freed.
bool Core::release_on_heap(uint64_t address) const {
  const std::optional<Allocation> block = context_.launch.memory.find(address);
  if (!block || block->begin != address || block->origin != kHeapOrigin) return false;
  if (!context_.launch.memory.release(address, "free in a kernel")) return false;
  if (context_.launch.config.heap_in_use != nullptr)
    context_.launch.config.heap_in_use->fetch_sub(block->bytes);
  return true;
}

// Reads at a lane's generic address; false when it is out of bounds.
bool Core::read_generic(uint64_t address, int lane, std::byte* out, size_t bytes) const {
  const AddressWindows& windows = address_windows();
  if (address < windows.begin || address >= windows.end) {
    const DeviceMemory::Range range = context_.launch.memory.range_of(address);
    if (range.end == 0 || bytes > range.end - address) return false;
    std::memcpy(out, reinterpret_cast<const void*>(address), bytes);
    return true;
  }
  for (size_t i = 0; i < bytes; ++i) {
    const uint64_t at = address + i;
    if (at >= windows.local && at - windows.local < context_.frame->local_top) {
      const uint64_t offset = at - windows.local;
      out[i] =
          context_.warp
              ->local[(offset >> 2) * (kLanes * 4) + static_cast<size_t>(lane) * 4 + (offset & 3)];
    } else if (at >= windows.shared && at - windows.shared < context_.launch.shared_bytes) {
      out[i] = context_.block->shared[at - windows.shared];
    } else if (at >= windows.parameter &&
               at - windows.parameter < context_.program.info.parameter_bytes) {
      out[i] = context_.launch.config.parameters[at - windows.parameter];
    } else {
      return false;
    }
  }
  return true;
}

std::string Core::read_string(uint64_t address, int lane) const {
  if (address == 0) return "(null)";
  std::string text;
  std::byte byte{};
  while (text.size() < kLongestString && read_generic(address + text.size(), lane, &byte, 1) &&
         byte != std::byte{0}) {
    text += static_cast<char>(byte);
  }
  return text;
}

void Core::print(const CallOp& call, uint32_t mask) {
  context_.made_progress = true;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t buffer = argument(call, 1, lane);
    const PrintArguments arguments{[&](uint64_t offset, void* out, size_t bytes) {
                                     return read_generic(buffer + offset, lane,
                                                         static_cast<std::byte*>(out), bytes);
                                   },
                                   [&](uint64_t address) { return read_string(address, lane); }};
    int used = 0;
    const std::string text =
        format_print(read_string(argument(call, 0, lane), lane), arguments, used);
    set_result(call, lane, static_cast<uint64_t>(used));
    if (!context_.launch.config.print) continue;
    const std::lock_guard lock(context_.launch.print_mutex);
    context_.launch.config.print(text);
  }
}

// __assertfail(message, file, line, function, character size), with the text that CUDA prints.
void Core::assert_fail(const CallOp& call, int lane) const {
  const Culprit who = context_.culprit(lane);
  const Dim3 thread = thread_index(context_.launch.config.block, who.warp * kLanes + who.lane);
  const Dim3& block = context_.block->index;
  const InstructionSource& source = context_.program.sources[context_.pc];
  const std::string message = fmt::format(
      "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
      read_string(argument(call, 1, lane), lane), static_cast<uint32_t>(argument(call, 2, lane)),
      read_string(argument(call, 3, lane), lane), block.x, block.y, block.z, thread.x, thread.y,
      thread.z, read_string(argument(call, 0, lane), lane));
  throw LaunchFault{Fault{Fault::Kind::assertion, message, std::string(source.file), source.line,
                          source.ptx_line, block, thread}};
}

void Core::builtin(const CallOp& call, uint32_t mask) {
  switch (call.builtin) {
    case Builtin::print:
      print(call, mask);
      break;
    case Builtin::assert_fail:
      assert_fail(call, std::countr_zero(mask));
    case Builtin::allocate:
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        set_result(call, lane, allocate_on_heap(argument(call, 0, lane)));
      }
      context_.made_progress = true;
      break;
    case Builtin::release:
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint64_t address = argument(call, 0, lane);
        if (address == 0 || release_on_heap(address)) continue;
        context_.fault(
            Fault::Kind::out_of_bounds, context_.culprit(lane),
            fmt::format("Bad free: \x01 frees {:#x}, which is not the start of a live allocation",
                        address),
            "free each pointer from malloc once, and only pointers from malloc");
      }
      // This thread's caches may contain the freed allocation.
      spaces_.forget_allocations();
      break;
    case Builtin::none:
      break;
    default:
      child_builtin(call, mask);
  }
}

}  // namespace ridge::machine
