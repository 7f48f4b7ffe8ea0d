#include "virtual_gpu/machine/memory/transfer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace ridge::machine {
namespace {

template <class Register, class Element, bool kSigned>
Register widen(Element value) {
  if constexpr (kSigned) {
    return static_cast<Register>(
        static_cast<std::make_signed_t<Register>>(static_cast<std::make_signed_t<Element>>(value)));
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
void for_active_lanes(uint32_t mask, F&& f) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane)
      f(lane);
  } else {
    for (; mask != 0; mask &= mask - 1)
      f(std::countr_zero(mask));
  }
}

// True when the lanes of the mask are consecutive; so are their bytes then, if the stride is one
// element.
bool is_contiguous(uint32_t mask) {
  const uint32_t from_zero = mask >> std::countr_zero(mask);
  return (from_zero & (from_zero + 1)) == 0;
}

// Loads one element of every active lane's vector.
template <class Element, class Register, bool kSigned>
void load_element(const Addresses& addresses, uint64_t origin, Register* dst, uint32_t mask,
                  const AddressLoops& loops) {
  const AddressSummary& s = addresses.summary;
  const uint64_t base = origin + s.base;
  if (s.shape == AccessShape::uniform) {
    const Register value = widen<Register, Element, kSigned>(read<Element>(base));
    if (mask == kAllLanes)
      std::fill_n(dst, kLanes, value);
    else
      for_active_lanes(mask, [&](int lane) { dst[lane] = value; });
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
          std::memcpy(dst + first, reinterpret_cast<const void*>(base + first * sizeof(Element)),
                      count * sizeof(Element));
          return;
        }
      }
    }
    for_active_lanes(mask, [&](int lane) {
      dst[lane] =
          widen<Register, Element, kSigned>(read<Element>(base + stride * static_cast<uint64_t>(lane)));
    });
    return;
  }
  if constexpr (sizeof(Element) == sizeof(Register)) {
    if (mask == kAllLanes) {
      (sizeof(Element) == 4 ? loops.gather32 : loops.gather64)(addresses.lanes, origin, dst);
      return;
    }
  }
  for_active_lanes(mask, [&](int lane) {
    dst[lane] = widen<Register, Element, kSigned>(read<Element>(origin + addresses.lanes[lane]));
  });
}

template <class Element, class Register>
void store_element(const Addresses& addresses, uint64_t origin, const Register* src, uint32_t mask) {
  const AddressSummary& s = addresses.summary;
  const uint64_t base = origin + s.base;
  if (s.shape == AccessShape::uniform) {  // the last lane wins
    write(base, static_cast<Element>(src[31 - std::countl_zero(mask)]));
    return;
  }
  if (s.shape == AccessShape::strided) {
    const uint64_t stride = static_cast<uint64_t>(s.stride);
    if constexpr (sizeof(Element) == sizeof(Register)) {
      if (stride == sizeof(Element) && is_contiguous(mask)) {
        const auto first = static_cast<unsigned>(std::countr_zero(mask));
        const auto count = static_cast<unsigned>(std::popcount(mask));
        std::memcpy(reinterpret_cast<void*>(base + first * sizeof(Element)), src + first,
                    count * sizeof(Element));
        return;
      }
    }
    for_active_lanes(mask, [&](int lane) {
      write(base + stride * static_cast<uint64_t>(lane), static_cast<Element>(src[lane]));
    });
    return;
  }
  for_active_lanes(mask, [&](int lane) { write(origin + addresses.lanes[lane], static_cast<Element>(src[lane])); });
}

template <class Element, class Register, bool kSigned>
void load_all(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
              std::byte* registers, const AddressLoops& loops) {
  for (uint32_t k = 0; k < op.count; ++k) {
    if (op.values[k] == kNoRow) continue;
    load_element<Element, Register, kSigned>(addresses, origin + k * sizeof(Element),
                                             reinterpret_cast<Register*>(registers + op.values[k]), mask,
                                             loops);
  }
}

// The most frequent case: one element per lane.
template <class Element, class Register, bool kSigned>
void load_one(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
              std::byte* registers, const AddressLoops& loops) {
  if (op.values[0] == kNoRow) return;
  load_element<Element, Register, kSigned>(
      addresses, origin, reinterpret_cast<Register*>(registers + op.values[0]), mask, loops);
}

template <class Element, class Register>
void store_all(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
               std::byte* registers, const AddressLoops&) {
  for (uint32_t k = 0; k < op.count; ++k) {
    if (op.values[k] == kNoRow) continue;
    store_element<Element, Register>(addresses, origin + k * sizeof(Element),
                                     reinterpret_cast<const Register*>(registers + op.values[k]), mask);
  }
}

bool is_contiguous_run(const MemoryOp& op, const Addresses& addresses, uint32_t mask) {
  return mask == kAllLanes && addresses.summary.shape == AccessShape::strided &&
         addresses.summary.stride == op.count * 4;
}

// float2, float4 and similar: the vectors of all lanes are often contiguous.
template <int kCount>
void load_vectors(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
                  std::byte* registers, const AddressLoops& loops) {
  if (!is_contiguous_run(op, addresses, mask))
    return load_all<uint32_t, uint32_t, false>(op, addresses, origin, mask, registers, loops);
  void* rows[kCount];
  for (int k = 0; k < kCount; ++k)
    rows[k] = registers + op.values[static_cast<size_t>(k)];
  (kCount == 2 ? loops.split2 : loops.split4)(reinterpret_cast<const void*>(origin + addresses.summary.base),
                                              rows);
}

template <int kCount>
void store_vectors(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
                   std::byte* registers, const AddressLoops& loops) {
  if (!is_contiguous_run(op, addresses, mask))
    return store_all<uint32_t, uint32_t>(op, addresses, origin, mask, registers, loops);
  const void* rows[kCount];
  for (int k = 0; k < kCount; ++k)
    rows[k] = registers + op.values[static_cast<size_t>(k)];
  (kCount == 2 ? loops.join2 : loops.join4)(reinterpret_cast<void*>(origin + addresses.summary.base), rows);
}

// Vectors of 4-byte elements that other threads may access at the same time: 8 aligned bytes of a lane
// are moved at once, as on a GPU. Programs rely on it that store data with a flag beside them.
template <bool kLoad>
void move_pairs(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
                std::byte* registers, const AddressLoops&) {
  const auto row = [&](uint32_t k) { return reinterpret_cast<uint32_t*>(registers + op.values[k]); };
  for_active_lanes(mask, [&](int lane) {
    auto* const pairs = reinterpret_cast<uint64_t*>(origin + addresses.of(lane));
    for (uint32_t k = 0; k < op.count; k += 2) {
      uint32_t &first = row(k)[lane], &second = row(k + 1)[lane];
      if (kLoad) {
        const uint64_t both = __atomic_load_n(pairs + k / 2, __ATOMIC_RELAXED);
        first = static_cast<uint32_t>(both);
        second = static_cast<uint32_t>(both >> 32);
      } else {
        __atomic_store_n(pairs + k / 2, uint64_t{second} << 32 | first, __ATOMIC_RELAXED);
      }
    }
  });
}

struct WideElement {
  uint64_t low, high;
};  // one lane of a 128-bit row

template <bool kLoad>
void move_wide(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
               std::byte* registers, const AddressLoops&) {
  for_active_lanes(mask, [&](int lane) {
    for (uint32_t k = 0; k < op.count; ++k) {
      if (op.values[k] == kNoRow) continue;
      const uint64_t address = origin + addresses.of(lane) + sizeof(WideElement) * k;
      WideElement& value = reinterpret_cast<WideElement*>(registers + op.values[k])[lane];
      if (kLoad)
        value = read<WideElement>(address);
      else
        write(address, value);
    }
  });
}

template <class Element, class Register>
Transfer load_as(bool is_signed) {
  return is_signed ? Transfer{load_all<Element, Register, true>}
                   : Transfer{load_all<Element, Register, false>};
}

bool is_whole_vector(const MemoryOp& op, int count) {
  return op.count == count && op.element_bytes == 4 && op.register_bytes == 4 &&
         std::none_of(op.values.begin(), op.values.begin() + count,
                      [](RowOffset row) { return row == kNoRow; });
}

// A volatile, relaxed, acquiring or releasing access of two or four words.
bool is_shared_vector(const MemoryOp& op) {
  return op.ordering != Ordering::weak && (is_whole_vector(op, 2) || is_whole_vector(op, 4));
}

// Local memory and .param variables: one row per 32-bit word, so an 8-byte value is in two rows.
std::byte* interleaved(std::byte* base, uint64_t address, int lane) {
  return base + (address >> 2) * (kLanes * 4) + static_cast<size_t>(lane) * 4 + (address & 3);
}

void copy_interleaved(std::byte* base, uint64_t address, int lane, std::byte* value, uint32_t bytes,
                      bool is_load) {
  for (uint32_t done = 0; done < bytes;) {
    std::byte* at = interleaved(base, address + done, lane);
    const uint32_t part = std::min(bytes - done, 4 - static_cast<uint32_t>((address + done) & 3));
    if (is_load)
      std::memcpy(value + done, at, part);
    else
      std::memcpy(at, value + done, part);
    done += part;
  }
}

int64_t sign_extended(const std::byte* value, uint32_t bytes) {
  if (bytes == 1) return static_cast<int8_t>(*value);
  if (bytes == 2) return read<int16_t>(reinterpret_cast<uint64_t>(value));
  return read<int32_t>(reinterpret_cast<uint64_t>(value));
}

void move_interleaved_lane(const MemoryOp& op, bool is_load, std::byte* base, uint64_t address, int lane,
                           std::byte* registers) {
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

}  // namespace

Transfer load_transfer(const MemoryOp& op) {
  if (is_shared_vector(op)) return move_pairs<true>;
  if (is_whole_vector(op, 4)) return load_vectors<4>;
  if (is_whole_vector(op, 2)) return load_vectors<2>;
  const bool wide = op.register_bytes == 8;
  switch (op.element_bytes) {
    case 1:
      return wide ? load_as<uint8_t, uint64_t>(op.sign_extend) : load_as<uint8_t, uint32_t>(op.sign_extend);
    case 2:
      return wide ? load_as<uint16_t, uint64_t>(op.sign_extend) : load_as<uint16_t, uint32_t>(op.sign_extend);
    case 4:
      if (wide) return load_as<uint32_t, uint64_t>(op.sign_extend);
      return op.count == 1 ? load_one<uint32_t, uint32_t, false> : load_all<uint32_t, uint32_t, false>;
    case 8:
      return op.count == 1 ? load_one<uint64_t, uint64_t, false> : load_all<uint64_t, uint64_t, false>;
    default:
      return move_wide<true>;
  }
}

Transfer store_transfer(const MemoryOp& op) {
  if (is_shared_vector(op)) return move_pairs<false>;
  if (is_whole_vector(op, 4)) return store_vectors<4>;
  if (is_whole_vector(op, 2)) return store_vectors<2>;
  const bool wide = op.register_bytes == 8;
  switch (op.element_bytes) {
    case 1:
      return wide ? store_all<uint8_t, uint64_t> : store_all<uint8_t, uint32_t>;
    case 2:
      return wide ? store_all<uint16_t, uint64_t> : store_all<uint16_t, uint32_t>;
    case 4:
      return wide ? store_all<uint32_t, uint64_t> : store_all<uint32_t, uint32_t>;
    case 8:
      return store_all<uint64_t, uint64_t>;
    default:
      return move_wide<false>;
  }
}

void move_interleaved(const MemoryOp& op, bool is_load, std::byte* base, uint64_t address, uint32_t mask,
                      std::byte* registers) {
  if (mask == kAllLanes && op.element_bytes == 4 && op.register_bytes == 4) {
    for (uint32_t k = 0; k < op.count; ++k) {
      if (op.values[k] == kNoRow) continue;
      std::byte* at = interleaved(base, address + k * 4, 0);
      if (is_load)
        std::memcpy(registers + op.values[k], at, kLanes * 4);
      else
        std::memcpy(at, registers + op.values[k], kLanes * 4);
    }
    return;
  }
  for_active_lanes(mask, [&](int lane) { move_interleaved_lane(op, is_load, base, address, lane, registers); });
}

void move_interleaved(const MemoryOp& op, bool is_load, std::byte* base, const Addresses& addresses,
                      uint32_t mask, std::byte* registers) {
  if (addresses.summary.shape == AccessShape::uniform) {
    move_interleaved(op, is_load, base, addresses.summary.base, mask, registers);
    return;
  }
  for_active_lanes(mask,
            [&](int lane) { move_interleaved_lane(op, is_load, base, addresses.of(lane), lane, registers); });
}

}  // namespace ridge::machine
