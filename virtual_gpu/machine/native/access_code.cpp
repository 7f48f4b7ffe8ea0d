#include "virtual_gpu/machine/native/access_code.h"

#include <cstddef>

namespace ridge::machine {
namespace {

using Xbyak::Label;
using Xbyak::Reg64;
using Xbyak::Xmm;
using Zmm = RowAssembler::Zmm;
namespace r = Xbyak::util;

struct alignas(64) Indices {
  uint32_t index[16];
};
constexpr Indices every_second(uint32_t first) {
  Indices result{};
  for (uint32_t i = 0; i < 16; ++i)
    result.index[i] = first + 2 * i;
  return result;
}
constexpr Indices kEven = every_second(0), kOdd = every_second(1);

}  // namespace

Xbyak::Address AccessCode::byte_of(size_t at, size_t member) {
  return r::byte[code_.user + static_cast<int>(at * sizeof(AccessCache) + member)];
}
Xbyak::Address AccessCode::cached(size_t at, size_t member) {
  return r::ptr[code_.user + static_cast<int>(at * sizeof(AccessCache) + member)];
}

// Observers see every store, and those shared loads that they have never agreed to elide. For
// global loads the terms may change from block to block.
bool AccessCode::may_elide_observers(const MicroOp& op, const AccessCache& cached) const {
  if (op.kind == OpKind::store || cached.mask != kAllLanes || cached.elided == nullptr)
    return false;
  return program_.memory[op.detail].space != MemorySpace::shared ||
         cached.elided->from != ~uint64_t{0} || cached.elided->pattern != ElidedAccess::kNotLogged;
}

AccessCode::Move AccessCode::move_of(const MicroOp& op) const {
  if (form_.is_masked) return Move::none;
  const AccessCache& cached = form_.cached[op.target];
  if (form_.is_observed && !may_elide_observers(op, cached)) return Move::none;
  if (cached.mask != kAllLanes || cached.move == nullptr) return Move::none;
  const CachedAccessLoops& loops = cached_access_loops();
  const std::pair<RowMove, Move> moves[] = {
      {loops.load_row32, Move::load_row32},       {loops.load_row64, Move::load_row64},
      {loops.load_same32, Move::load_same32},     {loops.load_same64, Move::load_same64},
      {loops.load_split2, Move::load_split2},     {loops.load_split4, Move::load_split4},
      {loops.load_window32, Move::load_window32}, {loops.load_near32, Move::load_near32},
      {loops.store_row32, Move::store_row32},     {loops.store_row64, Move::store_row64}};
  for (const auto& [loop, move] : moves) {
    if (cached.move == loop) return move;
  }
  return Move::none;
}

void AccessCode::emit(uint32_t pc) {
  const MicroOp& op = program_.ops[pc];
  const Move move = move_of(op);
  if (move == Move::none)
    call(pc);
  else
    emit_cached(pc, op, move);
}

// The executor makes the access: it uses rows, not registers.
void AccessCode::call(uint32_t pc) {
  code_.clear_all();
  call_core(pc);
  if (code_.is_masked()) code_.load_masks();
}

void AccessCode::call_core(uint32_t pc) {
  code_.vzeroupper();
  code_.mov(r::rdi, code_.context);
  code_.mov(r::esi, pc);
  code_.mov(r::edx, code_.mask_register);
  code_.Xbyak::CodeGenerator::call(
      r::ptr[code_.context + static_cast<int>(offsetof(NativeContext, access))]);
  code_.test(r::eax, r::eax);
  code_.jnz(leave_, Xbyak::CodeGenerator::T_NEAR);
  leaves_ = true;
}

// The same steps as MemoryUnit::access_cached, in the same order.
void AccessCode::emit_cached(uint32_t pc, const MicroOp& op, Move move) {
  const MemoryOp& memory = program_.memory[op.detail];
  const AccessCache& here = form_.cached[op.target];
  const size_t at = op.target;
  Detour& detour = detours_.emplace_back();
  detour.pc = pc;
  code_.step();
  // Between the first and the last jump to the detour, no values may move between rows and
  // registers.
  const bool is_store = op.kind == OpKind::store;
  const int chunks = memory.wide_address ? 4 : 2;
  if (!memory.fixed_address) {
    for (int i = 0; i < chunks; ++i)
      code_.read(memory.address, i);
  }
  if (is_store) {
    for (int i = 0; i < (move == Move::store_row64 ? 4 : 2); ++i)
      code_.read(memory.values[0], i);
  }
  first_lane_ = code_.fresh();
  distance_ = code_.fresh();
  off_ = code_.fresh();
  detour.before = code_.slots();
  const auto is_far = Xbyak::CodeGenerator::T_NEAR;
  code_.cmp(r::dword[code_.user +
                     static_cast<int>(at * sizeof(AccessCache) + offsetof(AccessCache, mask))],
            -1);
  code_.jne(detour.begin, is_far);
  code_.mov(work_, reinterpret_cast<uint64_t>(here.move));
  code_.cmp(cached(at, offsetof(AccessCache, move)), work_);
  code_.jne(detour.begin, is_far);
  if (memory.fixed_address) {
    code_.mov(address_, static_cast<uint64_t>(memory.offset));
  } else {
    compare_pattern(memory, at, detour);
    code_.read_first(address_, memory.address, memory.wide_address);
    const auto offset = memory.offset;
    if (!memory.wide_address) {
      if (offset != 0) code_.add(address_.cvt32(), static_cast<uint32_t>(offset));
    } else if (offset == static_cast<int32_t>(offset)) {
      if (offset != 0) code_.add(address_, static_cast<int>(offset));
    } else {
      code_.mov(work_, static_cast<uint64_t>(offset));
      code_.add(address_, work_);
    }
  }
  code_.mov(work_, address_);
  code_.sub(work_, cached(at, offsetof(AccessCache, from)));
  code_.cmp(work_, cached(at, offsetof(AccessCache, span)));
  code_.ja(detour.begin, is_far);
  if (memory.access_bytes > 1) {
    code_.test(address_.cvt8(), memory.access_bytes - 1);
    code_.jnz(detour.begin, is_far);
  }
  if (form_.is_observed) emit_elision(memory, at, detour);
  code_.mov(byte_of(at, offsetof(AccessCache, misses)), 0);
  if (memory.space == MemorySpace::shared)
    code_.add(address_, r::ptr[code_.context + static_cast<int>(offsetof(NativeContext, shared))]);
  if (is_store && memory.space != MemorySpace::local) {
    code_.mov(work_,
              r::ptr[code_.context + static_cast<int>(offsetof(NativeContext, made_progress))]);
    code_.mov(r::byte[work_], 1);
  }
  code_.step();
  move_values(memory, move, at);
  code_.step();
  code_.L(detour.back);
  detour.after = code_.slots();
}

// Checks that the pattern is unchanged: from the pattern that an earlier instruction of the block
// recorded, or by comparing addresses.
void AccessCode::compare_pattern(const MemoryOp& memory, size_t at, Detour& detour) {
  const auto seen = static_cast<int>(memory.pattern_slot * sizeof(uint64_t));
  const uint32_t bit = 1u << memory.pattern_slot;
  if (memory.pattern_slot == 0) return match(memory, at, detour);
  code_.mov(r::rdx, r::ptr[code_.context + static_cast<int>(offsetof(NativeContext, seen))]);
  code_.mov(work_, cached(at, offsetof(AccessCache, pattern)));
  if (pattern_slots_ & bit) {
    code_.cmp(work_, r::ptr[r::rdx + seen]);
    code_.jne(detour.begin, Xbyak::CodeGenerator::T_NEAR);
    return;
  }
  pattern_slots_ |= bit;
  Label same;
  code_.cmp(work_, r::ptr[r::rdx + seen]);
  code_.je(same, Xbyak::CodeGenerator::T_NEAR);
  // An instruction before this stretch may have recorded another pattern: leave that case to the
  // executor.
  code_.cmp(r::qword[r::rdx + seen], 0);
  code_.jne(detour.begin, Xbyak::CodeGenerator::T_NEAR);
  match(memory, at, detour);
  code_.mov(r::ptr[r::rdx + seen], work_);
  code_.L(same);
}

void AccessCode::match(const MemoryOp& memory, size_t at, Detour& detour) {
  const Zmm &first = first_lane_, &distance = distance_, &off = off_;
  const auto is_off = code_.scratch_mask;
  const int chunks = memory.wide_address ? 4 : 2;
  for (int i = 0; i < chunks; ++i) {
    const Zmm lanes = code_.read(memory.address, i);
    if (i == 0 && memory.wide_address) code_.vpbroadcastq(first, Xmm(lanes.getIdx()));
    if (i == 0 && !memory.wide_address) code_.vpbroadcastd(first, Xmm(lanes.getIdx()));
    const Zmm into = i == 0 ? off : distance;
    if (memory.wide_address)
      code_.vpsubq(into, lanes, first);
    else
      code_.vpsubd(into, lanes, first);
    const Xbyak::Address distances =
        cached(at, offsetof(AccessCache, distances) + static_cast<size_t>(i) * 64);
    if (i == 0)
      code_.vpxorq(off, off, distances);
    else
      code_.vpternlogq(off, distance, distances, 0xf6);  // off | (distance ^ apart)
  }
  code_.vptestmq(is_off, off, off);
  code_.kortestb(is_off, is_off);
  code_.jnz(detour.begin, Xbyak::CodeGenerator::T_NEAR);
}

void AccessCode::move_values(const MemoryOp& memory, Move move, size_t at) {
  const RowOffset row = memory.values[0];
  switch (move) {
    case Move::load_row32:
    case Move::load_row64: {
      const Width width = move == Move::load_row32 ? Width::w32 : Width::w64;
      for (int i = 0; i < chunks_of(width); ++i) {
        const Zmm value = code_.fresh();
        code_.vmovdqu64(value, r::ptr[address_ + 64 * i]);
        code_.write(row, i, width, value);
      }
      return;
    }
    case Move::load_same32:
    case Move::load_same64: {
      const Width width = move == Move::load_same32 ? Width::w32 : Width::w64;
      const int bytes = width == Width::w32 ? 4 : 8;
      for (int k = 0; k < memory.count; ++k) {
        for (int i = 0; i < chunks_of(width); ++i) {
          const Zmm value = code_.fresh();
          if (width == Width::w32)
            code_.vpbroadcastd(value, r::ptr[address_ + bytes * k]);
          else
            code_.vpbroadcastq(value, r::ptr[address_ + bytes * k]);
          code_.write(memory.values[static_cast<size_t>(k)], i, width, value);
        }
        code_.step();
      }
      return;
    }
    case Move::load_split2:
    case Move::load_split4:
      return load_split(memory);
    case Move::load_window32:
      return load_window(memory, at);
    case Move::load_near32:
      return load_near(memory, at);
    case Move::store_row32:
    case Move::store_row64:
      for (int i = 0; i < (move == Move::store_row32 ? 2 : 4); ++i)
        code_.vmovdqu64(r::ptr[address_ + 64 * i], code_.read(row, i));
      return;
    case Move::none:
      return;
  }
}

// Vectors of two or four words per lane, stored contiguously.
void AccessCode::load_split(const MemoryOp& memory) {
  for (int half = 0; half < 2; ++half) {
    code_.step();
    const int vectors = memory.count, at = half * vectors;
    const Zmm even = code_.constant(&kEven), odd = code_.constant(&kOdd);
    Zmm first[2], second[2];
    for (int i = 0; i < vectors / 2; ++i) {
      const Zmm a = code_.fresh(), b = code_.fresh();
      code_.vmovdqu64(a, r::ptr[address_ + 64 * (at + 2 * i)]);
      code_.vmovdqu64(b, r::ptr[address_ + 64 * (at + 2 * i + 1)]);
      first[i] = code_.fresh();
      second[i] = code_.fresh();
      code_.vmovdqa64(first[i], even);
      code_.vpermi2d(first[i], a, b);
      code_.vmovdqa64(second[i], odd);
      code_.vpermi2d(second[i], a, b);
    }
    if (vectors == 2) {
      code_.write(memory.values[0], half, Width::w32, first[0]);
      code_.write(memory.values[1], half, Width::w32, second[0]);
      continue;
    }
    const Zmm values[] = {code_.fresh(), code_.fresh(), code_.fresh(), code_.fresh()};
    for (int k = 0; k < 4; ++k) {
      const Zmm* const from = k % 2 == 0 ? first : second;
      code_.vmovdqa64(values[k], k < 2 ? even : odd);
      code_.vpermi2d(values[k], from[0], from[1]);
    }
    for (int k = 0; k < 4; ++k)
      code_.write(memory.values[static_cast<size_t>(k)], half, Width::w32, values[k]);
  }
}

// A few words that many lanes share.
void AccessCode::load_window(const MemoryOp& memory, size_t at) {
  const auto low = code_.scratch_mask, high = code_.other_scratch_mask;
  code_.kmovd(low, cached(at, offsetof(AccessCache, window)));
  code_.kshiftrd(high, low, 16);
  code_.sub(address_, cached(at, offsetof(AccessCache, below)));
  for (int k = 0; k < memory.count; ++k) {
    code_.step();
    const Zmm a = code_.fresh(), b = code_.fresh();
    code_.vmovdqu32(a | low | Xbyak::util::T_z, r::ptr[address_ + 4 * k]);
    code_.vmovdqu32(b | high | Xbyak::util::T_z, r::ptr[address_ + 4 * k + 64]);
    for (int half = 0; half < 2; ++half) {
      const Zmm value = code_.fresh();
      code_.vmovdqa64(value, cached(at, offsetof(AccessCache, near_distances) +
                                            static_cast<size_t>(half) * 64));
      code_.vpermi2d(value, a, b);
      code_.write(memory.values[static_cast<size_t>(k)], half, Width::w32, value);
    }
  }
}

// Arbitrary addresses, at most 2 GB apart.
void AccessCode::load_near(const MemoryOp& memory, size_t at) {
  const auto all = code_.scratch_mask;
  for (int half = 0; half < 2; ++half) {
    code_.step();
    const Zmm distance = code_.fresh();
    code_.vmovdqa64(distance, cached(at, offsetof(AccessCache, near_distances) +
                                             static_cast<size_t>(half) * 64));
    for (int k = 0; k < memory.count; ++k) {
      const Zmm value = code_.fresh();
      code_.vpxord(value, value, value);
      code_.kxnorw(all, all, all);
      code_.vpgatherdd(value | all, r::ptr[address_ + distance + 4 * k]);
      code_.write(memory.values[static_cast<size_t>(k)], half, Width::w32, value);
    }
  }
}

void AccessCode::finish() {
  for (Detour& detour : detours_) {
    code_.L(detour.begin);
    code_.store_all(detour.before);
    call_core(detour.pc);
    code_.fetch_all(detour.after);
    code_.jmp(detour.back, Xbyak::CodeGenerator::T_NEAR);
  }
  if (logs_) emit_log();
  if (!leaves_) return;
  code_.L(leave_);
  code_.leave();
}

}  // namespace ridge::machine
