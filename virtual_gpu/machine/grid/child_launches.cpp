// The functions with which kernels launch kernels.
#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/grid/child_launch.h"

namespace ridge::machine {
namespace {

// Values of cudaError_t.
constexpr int kNotSupported = 801;
constexpr uint64_t kInvalidValue = 1, kOutOfMemory = 2;
// A stream or an event: any number except 0 and those with a meaning in the headers.
constexpr uint64_t kHandle = 0x100;

}  // namespace

// A word of an argument that is a struct.
uint32_t Core::argument_word(const CallOp& call, size_t index, uint32_t word, int lane) const {
  if (index >= call.arguments.size() || word >= call.arguments[index].words) return 0;
  return context_.row<uint32_t>(
      call.arguments[index].row)[word * kLanes + static_cast<uint32_t>(lane)];
}

// Arguments: function, grid, block, bytes of shared memory.
uint64_t Core::prepare_child(const CallOp& call, int lane) const {
  const auto dimensions = [&](size_t index) {
    return Dim3{argument_word(call, index, 0, lane), argument_word(call, index, 1, lane),
                argument_word(call, index, 2, lane)};
  };
  ChildLaunch child;
  child.function = argument(call, 0, lane);
  child.grid = dimensions(1);
  child.block = dimensions(2);
  child.dynamic_shared_bytes = static_cast<uint32_t>(argument(call, 3, lane));
  child.parent_block = context_.block->linear;
  child.parent_thread = context_.culprit(lane).warp * kLanes + static_cast<uint32_t>(lane);
  return context_.launch.config.children->prepare(child);
}

// Writes the result of a device runtime function through its first argument, a pointer.
void Core::write_result(const CallOp& call, int lane, uint64_t value, uint32_t bytes) {
  const uint64_t address = argument(call, 0, lane);
  const AddressWindows& windows = address_windows();
  Access access;
  access.instruction = context_.pc;
  access.kind = AccessKind::store;
  access.shape = AccessShape::uniform;
  access.mask = 1u << lane;
  access.bytes = bytes;
  access.block = access.owner = context_.block->linear;
  access.warp = context_.warp->index;
  const auto is_within = [&](AccessSpace space, uint64_t window, uint64_t size) {
    if (address < window || address + bytes > window + size) return false;
    access.space = space;
    access.base = access.first = address - window;
    return true;
  };
  if (is_within(AccessSpace::local, windows.local, context_.frame->local_top)) {
    for (uint64_t i = 0; i < bytes; ++i) {
      const uint64_t offset = access.base + i;
      context_.warp
          ->local[(offset >> 2) * (kLanes * 4) + static_cast<size_t>(lane) * 4 + (offset & 3)] =
          static_cast<std::byte>(value >> 8 * i);
    }
  } else if (is_within(AccessSpace::shared, windows.shared, context_.launch.shared_bytes)) {
    std::memcpy(context_.block->shared.get() + access.base, &value, bytes);
  } else if (const DeviceMemory::Range range = context_.launch.memory.range_of(address);
             range.end >= address + bytes) {
    access.base = access.first = address;
    std::memcpy(reinterpret_cast<void*>(address), &value, bytes);
    context_.launch.memory.record_written(address, bytes);
  } else {
    context_.fault(Fault::Kind::out_of_bounds, context_.culprit(lane),
                   "Bad pointer: \x01 calls the device runtime with a pointer to a result that cannot be "
                   "stored there",
                   "keep the result in a variable of the kernel, in shared or in global memory");
  }
  if (context_.observer != nullptr) context_.observer->access(access);
}

void Core::child_builtin(const CallOp& call, uint32_t mask) {
  ChildLaunches* const children = context_.launch.config.children;
  context_.made_progress = true;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    uint64_t result = 0;
    const uint32_t thread = context_.culprit(lane).warp * kLanes + static_cast<uint32_t>(lane);
    switch (call.builtin) {
      case Builtin::prepare_child:
        result = children == nullptr ? 0 : prepare_child(call, lane);
        break;
      case Builtin::launch_child:
        result =
            static_cast<uint64_t>(children == nullptr ? kNotSupported
                                                      : children->launch(argument(call, 0, lane),
                                                                         argument(call, 1, lane)));
        break;
      case Builtin::last_error:
      case Builtin::peek_error:
        if (children != nullptr) {
          result = static_cast<uint64_t>(children->last_error(context_.block->linear, thread,
                                                              call.builtin == Builtin::last_error));
        }
        break;
      case Builtin::make_handle:
        write_result(call, lane, kHandle, sizeof kHandle);
        break;
      case Builtin::device_malloc: {
        const uint64_t address = allocate_on_heap(argument(call, 1, lane));
        write_result(call, lane, address, sizeof address);
        result = address == 0 ? kOutOfMemory : 0;
        break;
      }
      case Builtin::device_free: {
        const uint64_t address = argument(call, 0, lane);
        result = address == 0 || release_on_heap(address) ? 0 : kInvalidValue;
        break;
      }
      case Builtin::error_string:
      case Builtin::error_name:
        if (children != nullptr) {
          result = children->error_text(static_cast<int>(argument(call, 0, lane)),
                                        call.builtin == Builtin::error_name);
        }
        break;
      case Builtin::device_count:
        write_result(call, lane, static_cast<uint64_t>(children == nullptr ? 1 : children->device_count()), 4);
        break;
      case Builtin::set_conditional:
        if (children != nullptr)
          children->set_conditional(argument(call, 0, lane), static_cast<uint32_t>(argument(call, 1, lane)));
        break;
      case Builtin::current_device:
        write_result(call, lane, context_.launch.config.arena, 4);
        break;
      default:
        break;
    }
    set_result(call, lane, result);
  }
  // This thread's caches do not contain the new allocation.
  spaces_.forget_allocations();
}

}  // namespace ridge::machine
