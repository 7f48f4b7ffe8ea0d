// What loads, stores, atomics and cp.async do: where the address is, and which registers hold the values.
#pragma once

#include <array>
#include <cstdint>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/observer.h"

namespace ridge::machine {

inline constexpr RowOffset kNoRow = 0xffffffffu;

struct MemoryOp;
struct Addresses;
struct AddressLoops;
using Transfer = void (*)(const MemoryOp& op, const Addresses& addresses, uint64_t origin,
                          uint32_t mask, std::byte* registers, const AddressLoops& loops);

enum class MemorySpace : uint8_t { global, shared, local, constant, generic, parameter };

inline constexpr uint32_t kNoSharedArray = 0xffffffffu;

struct MemoryOp {
  MemorySpace space = MemorySpace::generic;
  uint8_t element_bytes = 4;   // 1, 2, 4, 8, 16
  uint8_t count = 1;           // of the vector
  uint8_t register_bytes = 4;  // a lane of the value rows: 4, 8, 16
  bool sign_extend = false;
  bool wide_address = true;    // the address row has 8 bytes per lane, otherwise 4
  bool fixed_address = false;  // no register: `offset` is the address, the same for all lanes
  RowOffset address = 0;
  int64_t offset = 0;                 // slots: bytes from the slot's first row
  std::array<RowOffset, 8> values{};  // kNoRow for `_`
  uint32_t cache = 0;                 // the inline cache of the allocation it last touched
  uint32_t access_bytes = 4;          // a lane, the whole vector
  Transfer transfer = nullptr;
  Ordering ordering = Ordering::weak;  // what the access says of other threads
  Scope scope = Scope::system;
  // Instructions of a block that read the same address register, unwritten in between, have a place in common
  // where the first of them says how the lanes lie. 0: none.
  uint8_t pattern_slot = 0;
  // The __shared__ array that the address certainly derives from, as offsets; everything when none is
  // certain.
  uint32_t shared_begin = 0, shared_end = kNoSharedArray;
  bool has_shared_array() const { return shared_end != kNoSharedArray; }
};
inline constexpr uint8_t kPatternSlots = 8;

enum class AtomicOperation : uint8_t {
  add,
  minimum,
  maximum,
  increment,
  decrement,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_swap
};
enum class AtomicType : uint8_t {
  u32,
  s32,
  b32,
  u64,
  s64,
  b64,
  b128,
  f32,
  f64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  b16
};

struct AtomicOp {
  MemoryOp place;  // values = where the old value goes (kNoRow for red)
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
  std::array<RowOffset, 8> a{};
  RowOffset b = 0;  // compare_swap: the new value
};

struct AsyncCopyOp {
  MemoryOp source, destination;
  uint32_t bytes = 4;
  RowOffset source_bytes = kNoRow;  // the rest is filled with zeros
  RowOffset ignore = kNoRow;        // predicate: copy nothing, fill with zeros
  bool ignore_negated = false;
};

}  // namespace ridge::machine
