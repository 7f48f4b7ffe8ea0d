#include "virtual_gpu/machine/native/row_assembler.h"

#include <algorithm>

namespace ridge::machine {
using Xbyak::Opmask;
using Xbyak::util::eax;
using Xbyak::util::rax;

void ChunkUses::note(RowOffset row, RowType type, uint32_t operation, Kind kind) {
  if (type == RowType::b32) record_chunks(row, chunks_of(Width::w32), operation, kind);
  if (type == RowType::b64) record_chunks(row, chunks_of(Width::w64), operation, kind);
}

void ChunkUses::record_chunks(RowOffset row, int chunks, uint32_t operation, Kind kind) {
  for (int i = 0; i < chunks; ++i)
    uses_[row / 64 + static_cast<uint64_t>(i)].push_back({operation, kind});
}

uint32_t ChunkUses::next_read(uint64_t chunk, uint32_t now) const {
  const auto found = uses_.find(chunk);
  if (found == uses_.end()) return kNever;
  const auto is_before = [](const Use& use, uint32_t operation) { return use.operation < operation; };
  const auto at = std::lower_bound(found->second.begin(), found->second.end(), now, is_before);
  return at == found->second.end() || at->kind == Kind::write ? kNever : at->operation;
}

bool ChunkUses::any_nan_will_do(uint64_t chunk, uint32_t operation) const {
  const auto found = uses_.find(chunk);
  if (found == uses_.end()) return false;
  const auto is_behind = [](uint32_t now, const Use& use) { return now < use.operation; };
  auto at = std::upper_bound(found->second.begin(), found->second.end(), operation, is_behind);
  while (at != found->second.end() && at->kind == Kind::float_read)
    ++at;
  if (at == found->second.end() || at->kind != Kind::write) return false;
  const auto unknown = std::upper_bound(unknown_.begin(), unknown_.end(), operation);
  return unknown == unknown_.end() || *unknown > at->operation;
}

uint64_t ChunkUses::middle() const {
  uint64_t sum = 0, count = 0;
  for (const auto& [chunk, uses] : uses_) {
    sum += chunk * uses.size();
    count += uses.size();
  }
  return count == 0 ? 0 : sum / count;
}

void RowAssembler::begin(bool masked, bool calls) {
  masked_ = masked;
  calls_ = calls;
  slots_.fill({});
  base_ = calls ? rbx : rdi;
  mask_ = calls ? ebp : esi;
  if (calls) {
    for (const Xbyak::Reg64& kept : {rbx, rbp, r12, r13, r14})
      push(kept);
    mov(mask_, esi);
    mov(context, rdx);
  }
  // A one-byte displacement reaches 128 chunks in either direction.
  bias_ = static_cast<int>(uses_.middle() * 64);
  lea(base_, ptr[rdi + bias_]);
  if (masked) load_masks();
}

void RowAssembler::end() {
  clear_all();
  xor_(eax, eax);
  leave();
}

void RowAssembler::leave() {
  vzeroupper();
  if (calls_) {
    for (const Xbyak::Reg64& kept : {r14, r13, r12, rbp, rbx})
      pop(kept);
  }
  ret();
}

// k1 to k4: eight lanes each of a 64-bit row, from the lowest; k1 and k3 are also the halves of a
// 32-bit row.
void RowAssembler::load_masks() {
  kmovd(k1, mask_);
  kshiftrd(k2, k1, 8);
  kshiftrd(k3, k1, 16);
  kshiftrd(k4, k1, 24);
}

void RowAssembler::step() {
  for (Slot& slot : slots_) {
    if (slot.holds == Holds::temporary) slot.holds = Holds::nothing;
  }
  step_begin_ = ++time_;
}

Xbyak::Address RowAssembler::chunk_at(uint64_t key) {
  return ptr[base_ + static_cast<int>(key * 64) - bias_];
}

int RowAssembler::find(Holds holds, uint64_t key) const {
  for (int i = 0; i < 32; ++i) {
    const Slot& slot = slots_[static_cast<size_t>(i)];
    if (slot.holds == holds && slot.key == key) return i;
  }
  return -1;
}

void RowAssembler::store(int index) {
  Slot& slot = slots_[static_cast<size_t>(index)];
  if (slot.holds == Holds::chunk && slot.dirty) vmovdqa64(chunk_at(slot.key), Zmm(index));
  slot.dirty = false;
}

uint32_t RowAssembler::next_read(const Slot& slot) const {
  constexpr uint32_t kConstantReuseDistance = 6;
  return slot.holds == Holds::chunk ? uses_.next_read(slot.key, operation_)
                                    : operation_ + kConstantReuseDistance;
}

// A free register, or the one whose value is not needed for the longest time.
int RowAssembler::allocate() {
  int chosen = -1;
  uint32_t farthest = 0;
  for (int i = 0; i < 32; ++i) {
    const Slot& slot = slots_[static_cast<size_t>(i)];
    if (slot.holds == Holds::nothing) {
      chosen = i;
      break;
    }
    if (slot.holds == Holds::temporary || slot.used >= step_begin_) continue;
    const uint32_t next = next_read(slot);
    const bool is_older = chosen >= 0 && slot.used < slots_[static_cast<size_t>(chosen)].used;
    if (chosen < 0 || next > farthest || (next == farthest && is_older)) {
      chosen = i;
      farthest = next;
    }
  }
  if (chosen < 0) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  store(chosen);
  slots_[static_cast<size_t>(chosen)] = {Holds::temporary, false, 0, ++time_};
  return chosen;
}

RowAssembler::Zmm RowAssembler::fresh() {
  return Zmm(allocate());
}

RowAssembler::Zmm RowAssembler::read(RowOffset row, int chunk) {
  const uint64_t key = key_of(row, chunk);
  int index = find(Holds::chunk, key);
  if (index < 0) {
    index = allocate();
    vmovdqa64(Zmm(index), chunk_at(key));
    slots_[static_cast<size_t>(index)] = {Holds::chunk, false, key, 0};
  }
  slots_[static_cast<size_t>(index)].used = ++time_;
  return Zmm(index);
}

RowAssembler::Zmm RowAssembler::copy(RowOffset row, int chunk, bool dies) {
  const uint64_t key = key_of(row, chunk);
  const int index = find(Holds::chunk, key);
  if (index >= 0 && dies && !masked_) {
    slots_[static_cast<size_t>(index)] = {Holds::temporary, false, 0, ++time_};
    return Zmm(index);
  }
  if (index >= 0) slots_[static_cast<size_t>(index)].used = ++time_;
  const Zmm result = fresh();
  if (index >= 0)
    vmovdqa64(result, Zmm(index));
  else
    vmovdqa64(result, chunk_at(key));
  return result;
}

RowAssembler::Zmm RowAssembler::constant(Holds holds, uint64_t key) {
  int index = find(holds, key);
  if (index < 0) {
    index = allocate();
    slots_[static_cast<size_t>(index)] = {holds, false, key, 0};
    fill(index);
  }
  slots_[static_cast<size_t>(index)].used = ++time_;
  return Zmm(index);
}
RowAssembler::Zmm RowAssembler::constant32(uint32_t value) {
  return constant(Holds::constant32, value);
}
RowAssembler::Zmm RowAssembler::constant64(uint64_t value) {
  return constant(Holds::constant64, value);
}
RowAssembler::Zmm RowAssembler::constant(const void* vector) {
  return constant(Holds::vector, reinterpret_cast<uint64_t>(vector));
}

// Loads the content that its slot specifies into a register.
void RowAssembler::fill(int index) {
  const Slot& slot = slots_[static_cast<size_t>(index)];
  switch (slot.holds) {
    case Holds::chunk:
      return vmovdqa64(Zmm(index), chunk_at(slot.key));
    case Holds::constant32:
      mov(eax, static_cast<uint32_t>(slot.key));
      return vpbroadcastd(Zmm(index), eax);
    case Holds::constant64:
      mov(rax, slot.key);
      return vpbroadcastq(Zmm(index), rax);
    case Holds::vector:
      mov(rax, slot.key);
      return vmovdqa64(Zmm(index), ptr[rax]);
    case Holds::nothing:
    case Holds::temporary:
      return;
  }
}

void RowAssembler::store_all(const Slots& slots) {
  for (int i = 0; i < 32; ++i) {
    const Slot& slot = slots[static_cast<size_t>(i)];
    if (slot.holds == Holds::chunk && slot.dirty) vmovdqa64(chunk_at(slot.key), Zmm(i));
  }
}

void RowAssembler::fetch_all(const Slots& slots) {
  const Slots now = slots_;
  slots_ = slots;
  for (int i = 0; i < 32; ++i)
    fill(i);
  slots_ = now;
}

void RowAssembler::clear_all() {
  store_all(slots_);
  slots_.fill({});
}

void RowAssembler::read_first(const Xbyak::Reg64& to, RowOffset row, bool is_wide) {
  const int index = find(Holds::chunk, row / 64);
  const Xbyak::Xmm low(index < 0 ? 0 : index);
  if (index < 0 && is_wide)
    mov(to, chunk_at(row / 64));
  else if (index < 0)
    mov(to.cvt32(), chunk_at(row / 64));
  else if (is_wide)
    vmovq(to, low);
  else
    vmovd(to.cvt32(), low);
}

void RowAssembler::write(RowOffset row, int chunk, Width width, Zmm value) {
  const uint64_t key = key_of(row, chunk);
  if (masked_) {
    const Zmm before = read(row, chunk);
    if (width == Width::w32)
      vpblendmd(value | Opmask(chunk == 0 ? 1 : 3), before, value);
    else
      vpblendmq(value | Opmask(chunk + 1), before, value);
  }
  const int old = find(Holds::chunk, key);
  if (old >= 0) slots_[static_cast<size_t>(old)] = {};
  slots_[static_cast<size_t>(value.getIdx())] = {Holds::chunk, true, key, ++time_};
}

// Predicates are words in memory. A register may still hold a chunk at their address.
void RowAssembler::drop_chunk(uint64_t key) {
  const int index = find(Holds::chunk, key);
  if (index < 0) return;
  store(index);
  slots_[static_cast<size_t>(index)] = {};
}

Xbyak::Address RowAssembler::predicate(RowOffset row) {
  drop_chunk(row / 64);
  return dword[base_ + static_cast<int>(row) - bias_];
}

Opmask RowAssembler::read_lanes(RowOffset row, int chunk, Width width) {
  drop_chunk(row / 64);
  const Opmask lanes = scratch_mask;
  const int offset = static_cast<int>(row) - bias_;
  if (width == Width::w32)
    kmovw(lanes, ptr[base_ + offset + 2 * chunk]);
  else
    kmovb(lanes, ptr[base_ + offset + chunk]);
  return lanes;
}

void RowAssembler::write_predicate(RowOffset row) {
  const Xbyak::Address place = predicate(row);
  if (masked_) {  // before ^ ((before ^ now) & mask)
    mov(ecx, place);
    xor_(eax, ecx);
    and_(eax, mask_);
    xor_(eax, ecx);
  }
  mov(place, eax);
}

void RowAssembler::call(LaneFunction function, const LaneOperands& operands) {
  clear_all();
  lea(rdi, ptr[base_ - bias_]);
  mov(rsi, reinterpret_cast<uint64_t>(&operands));
  mov(edx, mask_);
  mov(rax, reinterpret_cast<uint64_t>(function));
  Xbyak::CodeGenerator::call(rax);
  if (masked_) load_masks();
}

}  // namespace ridge::machine
