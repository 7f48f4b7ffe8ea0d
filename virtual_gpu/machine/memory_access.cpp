// ld and st: addresses of a warp to values in rows and back.
#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/address_windows.h"
#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/generic_space.h"

namespace ridge::machine {
namespace {

template <class Register, class Element, bool kSigned>
Register widen(Element value) {
  if constexpr (kSigned) {
    return static_cast<Register>(static_cast<std::make_signed_t<Register>>(static_cast<std::make_signed_t<Element>>(value)));
  } else {
    return static_cast<Register>(value);
  }
}

template <class T>
T read(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

template <class T>
void write(uint64_t address, T value) {
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}

template <class F>
void for_lanes(uint32_t mask, F&& f) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
  }
}

// The lanes of the mask lie side by side: then so do their bytes, when the stride is one element.
bool is_contiguous(uint32_t mask) {
  const uint32_t from_zero = mask >> std::countr_zero(mask);
  return (from_zero & (from_zero + 1)) == 0;
}

struct Lines {
  const AddressSummary& summary;
  const uint64_t* lanes;
  uint64_t origin;  // of the space, on the host
};

template <class Element, class Register, bool kSigned>
void load_lanes(const Lines& at, uint64_t extra, Register* dst, uint32_t mask, const AddressLoops& loops) {
  const AddressSummary& s = at.summary;
  const uint64_t base = at.origin + s.base + extra;
  if (s.shape == AccessShape::uniform) {
    const Register value = widen<Register, Element, kSigned>(read<Element>(base));
    if (mask == kAllLanes) std::fill_n(dst, kLanes, value);
    else for_lanes(mask, [&](int lane) { dst[lane] = value; });
    return;
  }
  if (s.shape == AccessShape::strided) {
    const uint64_t stride = static_cast<uint64_t>(s.stride);
    if constexpr (sizeof(Element) == sizeof(Register)) {
      if (stride == sizeof(Element)) {
        if (mask == kAllLanes) {
          std::memcpy(dst, reinterpret_cast<const void*>(base), kLanes * sizeof(Element));
          return;
        }
        if (is_contiguous(mask)) {
          const auto first = static_cast<unsigned>(std::countr_zero(mask));
          const auto count = static_cast<unsigned>(std::popcount(mask));
          std::memcpy(dst + first, reinterpret_cast<const void*>(base + first * sizeof(Element)), count * sizeof(Element));
          return;
        }
      }
    }
    for_lanes(mask, [&](int lane) {
      dst[lane] = widen<Register, Element, kSigned>(read<Element>(base + stride * static_cast<uint64_t>(lane)));
    });
    return;
  }
  if constexpr (sizeof(Element) == sizeof(Register) && (sizeof(Element) == 4 || sizeof(Element) == 8)) {
    if (mask == kAllLanes && at.origin + extra == 0) {
      (sizeof(Element) == 4 ? loops.gather32 : loops.gather64)(at.lanes, dst);
      return;
    }
  }
  const uint64_t shift = at.origin + extra;
  for_lanes(mask, [&](int lane) { dst[lane] = widen<Register, Element, kSigned>(read<Element>(at.lanes[lane] + shift)); });
}

template <class Element, class Register>
void store_lanes(const Lines& at, uint64_t extra, const Register* src, uint32_t mask) {
  const AddressSummary& s = at.summary;
  const uint64_t base = at.origin + s.base + extra;
  if (s.shape == AccessShape::uniform) {  // one of them wins: the last
    write(base, static_cast<Element>(src[31 - std::countl_zero(mask)]));
    return;
  }
  if (s.shape == AccessShape::strided) {
    const uint64_t stride = static_cast<uint64_t>(s.stride);
    if constexpr (sizeof(Element) == sizeof(Register)) {
      if (stride == sizeof(Element) && is_contiguous(mask)) {
        const auto first = static_cast<unsigned>(std::countr_zero(mask));
        const auto count = static_cast<unsigned>(std::popcount(mask));
        std::memcpy(reinterpret_cast<void*>(base + first * sizeof(Element)), src + first, count * sizeof(Element));
        return;
      }
    }
    for_lanes(mask, [&](int lane) { write(base + stride * static_cast<uint64_t>(lane), static_cast<Element>(src[lane])); });
    return;
  }
  const uint64_t shift = at.origin + extra;
  for_lanes(mask, [&](int lane) { write(at.lanes[lane] + shift, static_cast<Element>(src[lane])); });
}

struct Wide { uint64_t low, high; };  // a lane of a 128-bit row

// Local memory and .param variables: a row for each 32-bit word, so a value of 8 bytes is in two rows.
std::byte* interleaved(std::byte* base, uint64_t address, int lane) {
  return base + (address >> 2) * (kLanes * 4) + static_cast<size_t>(lane) * 4 + (address & 3);
}

void copy_interleaved(std::byte* base, uint64_t address, int lane, std::byte* value, uint32_t bytes, bool is_load) {
  for (uint32_t done = 0; done < bytes;) {
    std::byte* at = interleaved(base, address + done, lane);
    const uint32_t part = std::min(bytes - done, 4 - static_cast<uint32_t>((address + done) & 3));
    if (is_load) std::memcpy(value + done, at, part);
    else std::memcpy(at, value + done, part);
    done += part;
  }
}

int64_t sign_extended(const std::byte* value, uint32_t bytes) {
  if (bytes == 1) return static_cast<int8_t>(*value);
  if (bytes == 2) return read<int16_t>(reinterpret_cast<uint64_t>(value));
  return read<int32_t>(reinterpret_cast<uint64_t>(value));
}

void move_interleaved_lane(const MemoryOp& op, bool is_load, std::byte* base, uint64_t address, int lane, std::byte* registers) {
  for (uint32_t k = 0; k < op.count; ++k) {
    if (op.values[k] == kNoRow) continue;
    std::byte* reg = registers + op.values[k] + static_cast<size_t>(lane) * op.register_bytes;
    const uint64_t at = address + k * op.element_bytes;
    if (!is_load || op.element_bytes == op.register_bytes) {
      copy_interleaved(base, at, lane, reg, op.element_bytes, is_load);
      continue;
    }
    std::byte value[8] = {};
    copy_interleaved(base, at, lane, value, op.element_bytes, true);
    if (op.sign_extend) {
      const int64_t extended = sign_extended(value, op.element_bytes);
      std::memcpy(value, &extended, sizeof value);
    }
    std::memcpy(reg, value, op.register_bytes);
  }
}

void move_interleaved(const MemoryOp& op, bool is_load, std::byte* base, uint64_t address, uint32_t mask, std::byte* registers) {
  if (mask == kAllLanes && op.element_bytes == 4 && op.register_bytes == 4) {
    for (uint32_t k = 0; k < op.count; ++k) {
      if (op.values[k] == kNoRow) continue;
      std::byte* at = interleaved(base, address + k * 4, 0);
      if (is_load) std::memcpy(registers + op.values[k], at, kLanes * 4);
      else std::memcpy(at, registers + op.values[k], kLanes * 4);
    }
    return;
  }
  for_lanes(mask, [&](int lane) { move_interleaved_lane(op, is_load, base, address, lane, registers); });
}

}  // namespace

void Core::find_addresses(const MemoryOp& op, uint32_t mask, Addresses& addresses) const {
  if (op.fixed_address) {
    const uint64_t address = static_cast<uint64_t>(op.offset);
    addresses.summary = {AccessShape::uniform, address, 0, address, address, address};
    return;
  }
  const auto summarize = op.wide_address ? loops_.summarize64 : loops_.summarize32;
  addresses.summary = summarize(registers_ + op.address, op.offset, mask, addresses.lanes);
}

void Core::load(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  Addresses addresses;
  find_addresses(memory, mask, addresses);
  transfer(memory, AccessKind::load, addresses, mask);
  if (op.flags & kPolls) {
    polled_ = true;
    std::atomic_thread_fence(std::memory_order_acquire);
  }
}

void Core::store(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  Addresses addresses;
  find_addresses(memory, mask, addresses);
  std::atomic_thread_fence(std::memory_order_release);
  transfer(memory, AccessKind::store, addresses, mask);
  made_progress_ |= memory.space != MemorySpace::local;
}

void Core::load_parameter(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  Addresses addresses;
  find_addresses(memory, mask, addresses);
  check(memory, AccessKind::load, MemorySpace::parameter, addresses, mask, memory.element_bytes * memory.count);
  move_values(memory, AccessKind::load, MemorySpace::parameter, addresses, mask);
}

void Core::load_slot(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  move_interleaved(memory, true, registers_ + memory.address, static_cast<uint64_t>(memory.offset), mask, registers_);
}

void Core::store_slot(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  move_interleaved(memory, false, registers_ + memory.address, static_cast<uint64_t>(memory.offset), mask, registers_);
}

void Core::transfer(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask) {
  if (op.space == MemorySpace::generic) {
    transfer_generic(op, kind, addresses, mask);
    return;
  }
  if (op.space == MemorySpace::parameter) addresses.subtract(address_windows().parameter);
  if (op.space == MemorySpace::shared) addresses.strip_own_rank();
  transfer_in_space(op, kind, addresses, mask);
}

// The addresses are offsets in the space by now, except for global and constant memory.
void Core::transfer_in_space(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask) {
  const MemorySpace space = op.space;
  const uint32_t bytes = static_cast<uint32_t>(op.element_bytes) * op.count;
  check(op, kind, space, addresses, mask, bytes);
  if (observer_ != nullptr) {
    observe(kind, space, addresses, mask, bytes, pc_);
    if (wants_values_ && kind == AccessKind::store) observe_values(op, kind, space, addresses, mask);
  }
  move_values(op, kind, space, addresses, mask);
  if (wants_values_ && kind == AccessKind::load) observe_values(op, kind, space, addresses, mask);
}

void Core::transfer_generic(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask) {
  MemoryOp resolved = op;
  for_each_space(addresses, mask, [&](MemorySpace space, Addresses& part, uint32_t lanes) {
    resolved.space = space;
    transfer_in_space(resolved, kind, part, lanes);
  });
}

std::byte* Core::host_address(MemorySpace space, uint64_t address) const {
  if (space == MemorySpace::shared) return block_->shared.get() + address;
  if (space == MemorySpace::parameter) return const_cast<std::byte*>(launch_.config.parameters.data()) + address;
  return reinterpret_cast<std::byte*>(address);
}

void Core::move_values(const MemoryOp& op, AccessKind kind, MemorySpace space, const Addresses& addresses, uint32_t mask) {
  if (space == MemorySpace::local) return move_local(op, kind, addresses, mask);
  const Lines at{addresses.summary, addresses.lanes, reinterpret_cast<uint64_t>(host_address(space, 0))};
  const bool is_load = kind == AccessKind::load;
  const auto move = [&]<class Element, class Register>(Element, Register) {
    uint64_t extra = 0;
    for (uint32_t k = 0; k < op.count; ++k, extra += sizeof(Element)) {
      if (op.values[k] == kNoRow) continue;
      Register* values = row<Register>(op.values[k]);
      if (!is_load) store_lanes<Element, Register>(at, extra, values, mask);
      else if (op.sign_extend) load_lanes<Element, Register, true>(at, extra, values, mask, loops_);
      else load_lanes<Element, Register, false>(at, extra, values, mask, loops_);
    }
  };
  const bool wide_register = op.register_bytes == 8;
  switch (op.element_bytes) {
    case 1: wide_register ? move(uint8_t{}, uint64_t{}) : move(uint8_t{}, uint32_t{}); break;
    case 2: wide_register ? move(uint16_t{}, uint64_t{}) : move(uint16_t{}, uint32_t{}); break;
    case 4: wide_register ? move(uint32_t{}, uint64_t{}) : move(uint32_t{}, uint32_t{}); break;
    case 8: move(uint64_t{}, uint64_t{}); break;
    default:
      for_lanes(mask, [&](int lane) {
        for (uint32_t k = 0; k < op.count; ++k) {
          if (op.values[k] == kNoRow) continue;
          const uint64_t address = at.origin + addresses.of(lane) + 16 * k;
          Wide& value = row<Wide>(op.values[k])[lane];
          if (is_load) value = read<Wide>(address);
          else write(address, value);
        }
      });
  }
}

void Core::move_local(const MemoryOp& op, AccessKind kind, const Addresses& addresses, uint32_t mask) {
  std::byte* const base = warp_->local.data();
  const bool is_load = kind == AccessKind::load;
  if (addresses.summary.shape == AccessShape::uniform) {
    move_interleaved(op, is_load, base, addresses.summary.base, mask, registers_);
    return;
  }
  for_lanes(mask, [&](int lane) { move_interleaved_lane(op, is_load, base, addresses.of(lane), lane, registers_); });
}

}  // namespace ridge::machine
