// atom and red: lane after lane, in lane order.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>

#include "virtual_gpu/machine/memory/atomic_combine.h"
#include "virtual_gpu/machine/memory/atomic_unit.h"
#include "virtual_gpu/machine/memory/generic_space.h"
#include "virtual_gpu/machine/memory/half_float.h"
#include "virtual_gpu/machine/memory/shared_owner.h"

namespace ridge::machine {
namespace {

template <class Word, class Value>
Combine<Word> combine_values(AtomicOperation operation) {
  const auto lift = []<class F>(F) -> Combine<Word> {
    return [](Word old, Word a, Word) {
      return std::bit_cast<Word>(F{}(std::bit_cast<Value>(old), std::bit_cast<Value>(a)));
    };
  };
  switch (operation) {
    case AtomicOperation::add:
      return lift([](Value x, Value y) { return static_cast<Value>(x + y); });
    case AtomicOperation::minimum:
      return lift([](Value x, Value y) { return y < x ? y : x; });
    case AtomicOperation::maximum:
      return lift([](Value x, Value y) { return x < y ? y : x; });
    default:
      return nullptr;
  }
}

template <class Word>
Combine<Word> combine_bits(AtomicOperation operation) {
  switch (operation) {
    case AtomicOperation::bit_and:
      return [](Word old, Word a, Word) { return static_cast<Word>(old & a); };
    case AtomicOperation::bit_or:
      return [](Word old, Word a, Word) { return static_cast<Word>(old | a); };
    case AtomicOperation::bit_xor:
      return [](Word old, Word a, Word) { return static_cast<Word>(old ^ a); };
    case AtomicOperation::exchange:
      return [](Word, Word a, Word) { return a; };
    case AtomicOperation::compare_swap:
      return [](Word old, Word a, Word b) { return old == a ? b : old; };
    case AtomicOperation::increment:
      return [](Word old, Word a, Word) { return old >= a ? Word{0} : static_cast<Word>(old + 1); };
    case AtomicOperation::decrement:
      return [](Word old, Word a, Word) {
        return old == 0 || old > a ? a : static_cast<Word>(old - 1);
      };
    default:
      return nullptr;
  }
}

// min and max of the 16-bit formats return the number when one operand is NaN, like fmin.
uint16_t combine_half(AtomicOperation operation, uint16_t x, uint16_t y, bool brain) {
  const float a = brain ? bfloat_to_float(x) : half_to_float(x),
              b = brain ? bfloat_to_float(y) : half_to_float(y);
  const float result = operation == AtomicOperation::add       ? a + b
                       : operation == AtomicOperation::minimum ? std::fmin(a, b)
                                                               : std::fmax(a, b);
  return brain ? float_to_bfloat(result) : float_to_half(result);
}

template <class Word, AtomicOperation kOperation, bool kBrain>
Word combine_halves(Word old, Word a, Word) {
  uint32_t result =
      combine_half(kOperation, static_cast<uint16_t>(old), static_cast<uint16_t>(a), kBrain);
  if constexpr (sizeof(Word) == 4) {
    result |= static_cast<uint32_t>(combine_half(kOperation, static_cast<uint16_t>(old >> 16),
                                                 static_cast<uint16_t>(a >> 16), kBrain))
              << 16;
  }
  return static_cast<Word>(result);
}

template <class Word, bool kBrain>
Combine<Word> combine_half_words(AtomicOperation operation) {
  switch (operation) {
    case AtomicOperation::add:
      return combine_halves<Word, AtomicOperation::add, kBrain>;
    case AtomicOperation::minimum:
      return combine_halves<Word, AtomicOperation::minimum, kBrain>;
    case AtomicOperation::maximum:
      return combine_halves<Word, AtomicOperation::maximum, kBrain>;
    default:
      return nullptr;
  }
}

struct Wide {
  uint64_t low, high;
  bool operator==(const Wide&) const = default;
};

}  // namespace

template <class Word>
Combine<Word> combine_for(const AtomicOp& op) {
  Combine<Word> combine = nullptr;
  if constexpr (sizeof(Word) == 2) {
    if (op.type == AtomicType::f16) combine = combine_half_words<Word, false>(op.operation);
    if (op.type == AtomicType::bf16) combine = combine_half_words<Word, true>(op.operation);
  } else if constexpr (sizeof(Word) == 4) {
    if (op.type == AtomicType::u32) combine = combine_values<Word, uint32_t>(op.operation);
    if (op.type == AtomicType::s32) combine = combine_values<Word, int32_t>(op.operation);
    if (op.type == AtomicType::f32) combine = combine_values<Word, float>(op.operation);
    if (op.type == AtomicType::f16x2) combine = combine_half_words<Word, false>(op.operation);
    if (op.type == AtomicType::bf16x2) combine = combine_half_words<Word, true>(op.operation);
    // Signed addition wraps.
    if (op.type == AtomicType::s32 && op.operation == AtomicOperation::add)
      combine = combine_values<Word, uint32_t>(op.operation);
  } else {
    if (op.type == AtomicType::u64) combine = combine_values<Word, uint64_t>(op.operation);
    if (op.type == AtomicType::s64) combine = combine_values<Word, int64_t>(op.operation);
    if (op.type == AtomicType::s64 && op.operation == AtomicOperation::add)
      combine = combine_values<Word, uint64_t>(op.operation);
    if (op.type == AtomicType::f64) combine = combine_values<Word, double>(op.operation);
  }
  return combine != nullptr ? combine : combine_bits<Word>(op.operation);
}
template Combine<uint16_t> combine_for(const AtomicOp& op);
template Combine<uint32_t> combine_for(const AtomicOp& op);
template Combine<uint64_t> combine_for(const AtomicOp& op);

void AtomicUnit::atomic(const MicroOp& op, uint32_t mask) {
  const AtomicOp& atomic = context_.program.atomics[op.detail];
  Addresses addresses;
  spaces_.find_addresses(atomic.place, mask, addresses);
  if (atomic.place.space == MemorySpace::generic) {
    spaces_.for_each_space(addresses, mask,
                           [&](MemorySpace space, Addresses& part, uint32_t lanes) {
                             atomic_in_space(atomic, space, part, lanes);
                           });
    return;
  }
  if (atomic.place.space == MemorySpace::shared) addresses.strip_own_rank(context_.block->rank);
  atomic_in_space(atomic, atomic.place.space, addresses, mask);
}

void AtomicUnit::atomic_in_space(const AtomicOp& op, MemorySpace space, Addresses& addresses,
                                 uint32_t mask) {
  const bool returns = std::any_of(op.place.values.begin(), op.place.values.end(),
                                   [](RowOffset r) { return r != kNoRow; });
  const AccessKind kind = returns ? AccessKind::atomic : AccessKind::reduction;
  const uint32_t bytes = static_cast<uint32_t>(op.place.element_bytes) * op.place.count;
  if (space == MemorySpace::shared && addresses.names_a_rank() && !op.place.has_shared_array()) {
    spaces_.for_each_owner(addresses, mask, kind, [&](Addresses& part, uint32_t lanes) {
      atomic_in_space(op, space, part, lanes);
    });
    return;
  }
  spaces_.check(op.place, kind, space, addresses, mask, bytes);
  if (context_.observer != nullptr)
    caches_.observe(kind, space, addresses, mask, bytes, context_.pc, op.place.ordering,
                    op.place.scope);
  context_.has_looked |= returns && space == MemorySpace::global;
  switch (op.place.element_bytes) {
    case 2:
      update_lanes<uint16_t>(op, space, addresses, mask);
      break;
    case 4:
      update_lanes<uint32_t>(op, space, addresses, mask);
      break;
    case 8:
      update_lanes<uint64_t>(op, space, addresses, mask);
      break;
    default:
      update_wide(op, space, addresses, mask);
      break;
  }
}

template <class Word>
void AtomicUnit::update_lanes(const AtomicOp& op, MemorySpace space, const Addresses& addresses,
                              uint32_t mask) {
  const Combine<Word> combine = combine_for<Word>(op);
  const size_t stride =
      op.place.register_bytes / sizeof(Word);  // a 16-bit value has a 32-bit lane
  const bool is_private = space == MemorySpace::local;
  bool changed = false;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (uint32_t k = 0; k < op.place.count; ++k) {
      const uint64_t address = addresses.of(lane) + k * sizeof(Word);
      const Word a = context_.row<Word>(op.a[k])[static_cast<size_t>(lane) * stride];
      const Word b = op.operation == AtomicOperation::compare_swap
                         ? context_.row<Word>(op.b)[static_cast<size_t>(lane) * stride]
                         : Word{0};
      Word* at = reinterpret_cast<Word*>(is_private ? context_.warp->local.data() +
                                                          (address >> 2) * (kLanes * 4) + lane * 4 +
                                                          (address & 3)
                                                    : spaces_.host_address(space, address));
      Word old;
      if (space == MemorySpace::global) {
        std::atomic_ref<Word> place(*at);
        old = place.load(std::memory_order_relaxed);
        while (!place.compare_exchange_weak(old, combine(old, a, b), std::memory_order_seq_cst)) {
        }
      } else {  // a cluster runs on one host thread at a time
        old = *at;
        *at = combine(old, a, b);
      }
      changed |= combine(old, a, b) != old;
      if (op.place.values[k] == kNoRow) continue;
      if (op.place.register_bytes == 8)
        context_.row<uint64_t>(op.place.values[k])[lane] = old;
      else
        context_.row<uint32_t>(op.place.values[k])[lane] = static_cast<uint32_t>(old);
    }
  }
  context_.made_progress |= changed;
  if (changed) return;
  // The value did not change: a lock is taken, a flag is not set. Let other threads run first,
  // immediately.
  context_.polled = true;
  context_.split_budget = std::min<int64_t>(context_.split_budget, 1);
  if (op.operation == AtomicOperation::compare_swap && context_.warp->split_count == 1)
    context_.slice_budget = std::min<int64_t>(context_.slice_budget, 1);
}

// red.async: one lane's value when it completes.
void AtomicUnit::reduce_at(const AtomicOp& op, std::byte* at, const std::byte* value) const {
  const auto apply = [&]<class Word>(Word) {
    Word old, operand;
    std::memcpy(&old, at, sizeof old);
    std::memcpy(&operand, value, sizeof operand);
    const Word next = combine_for<Word>(op)(old, operand, Word{0});
    std::memcpy(at, &next, sizeof next);
  };
  if (op.place.element_bytes == 8)
    apply(uint64_t{});
  else
    apply(uint32_t{});
}

// 128-bit exchange and compare-and-swap use one lock, because they are rare.
void AtomicUnit::update_wide(const AtomicOp& op, MemorySpace space, const Addresses& addresses,
                             uint32_t mask) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  bool changed = false;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::byte* const at = spaces_.host_address(space, addresses.of(lane));
    Wide old;
    std::memcpy(&old, at, sizeof old);
    const Wide a = context_.row<Wide>(op.a[0])[lane];
    Wide next = a;
    if (op.operation == AtomicOperation::compare_swap)
      next = old == a ? context_.row<Wide>(op.b)[lane] : old;
    std::memcpy(at, &next, sizeof next);
    changed |= !(next == old);
    if (op.place.values[0] != kNoRow) context_.row<Wide>(op.place.values[0])[lane] = old;
  }
  context_.made_progress |= changed;
  context_.polled |= !changed;
}

}  // namespace ridge::machine
