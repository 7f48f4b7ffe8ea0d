// An assembler that manages rows: it allocates vector registers for parts of rows, loads values on
// demand, and stores written values when other code may read them or the register is needed.
//
// A *chunk* is 64 bytes of a row, one AVX-512 register: 16 lanes of a 32-bit row, 8 of a 64-bit
// one. Operations are emitted one chunk per step: registers belong to the caller until the next
// step.
#pragma once

#include <xbyak/xbyak.h>

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::machine {

enum class Width : uint8_t { w32, w64 };
constexpr int chunks_of(Width width) {
  return width == Width::w32 ? 2 : 4;
}

// Values of rows that are never written, by row: immediates.
using ConstantRows = std::unordered_map<RowOffset, uint64_t>;

// The reads and writes of each chunk by the operations of a stretch, in order; reads of an
// operation precede its writes. The value whose next read is farthest away is evicted first.
class ChunkUses {
 public:
  // float_read: only whether it is a NaN matters, not which one.
  enum class Kind : uint8_t { read, float_read, write };
  static constexpr uint32_t kNever = ~0u;

  void note(RowOffset row, RowType type, uint32_t operation, Kind kind);
  void record_chunks(RowOffset row, int chunks, uint32_t operation, Kind kind);
  // An operation whose reads are unknown.
  void record_unknown(uint32_t operation) { unknown_.push_back(operation); }
  // The first read at or after `now` of the chunk's current value.
  uint32_t next_read(uint64_t chunk, uint32_t now) const;
  // True when the value that `operation` writes is overwritten before anything depends on which NaN
  // it is.
  bool any_nan_will_do(uint64_t chunk, uint32_t operation) const;
  // A chunk in the middle of those used, for a base register.
  uint64_t middle() const;

 private:
  struct Use {
    uint32_t operation;
    Kind kind;
  };
  std::unordered_map<uint64_t, std::vector<Use>> uses_;
  std::vector<uint32_t> unknown_;
};

class RowAssembler : public Xbyak::CodeGenerator {
 public:
  using Zmm = Xbyak::Zmm;

  RowAssembler(void* buffer, size_t bytes, const ConstantRows& constants, const ChunkUses& uses)
      : Xbyak::CodeGenerator(bytes, buffer), constants_(constants), uses_(uses) {}

  // Begins and ends a function of the type NativeRun. One that makes calls saves more registers.
  void begin(bool masked, bool calls);
  void end();
  bool is_masked() const { return masked_; }

  void begin_operation(uint32_t operation) { operation_ = operation; }
  void step();
  Zmm read(RowOffset row, int chunk);
  // A private copy of the value in a register, which may be modified. `dies`: the row is written
  // next.
  Zmm copy(RowOffset row, int chunk, bool dies);
  Zmm fresh();
  Zmm constant32(uint32_t value);
  Zmm constant64(uint64_t value);
  Zmm constant(const void* vector);  // 64 bytes at a fixed address
  // The row's chunk is now `value`, which belongs to the assembler from here on; inactive lanes
  // keep their values.
  void write(RowOffset row, int chunk, Width width, Zmm value);

  // True when this operation's result there may contain a NaN other than the GPU's.
  bool any_nan_will_do(RowOffset row, int chunk) const {
    return !masked_ && uses_.any_nan_will_do(key_of(row, chunk), operation_);
  }

  // The lanes of a predicate for one chunk, and complete predicates. `from` is eax.
  Xbyak::Opmask read_lanes(RowOffset row, int chunk, Width width);
  Xbyak::Address predicate(RowOffset row);
  void write_predicate(RowOffset row);

  // Calls a function of the first tier.
  void call(LaneFunction function, const LaneOperands& operands);

  // The register contents, for detours around emitted code: stored before other code runs and
  // reloaded afterwards. Temporaries are not preserved.
  enum class Holds : uint8_t { nothing, temporary, chunk, constant32, constant64, vector };
  struct Slot {
    Holds holds = Holds::nothing;
    bool dirty = false;
    uint64_t key = 0;  // number of the chunk, or value or address of the constant
    uint64_t used = 0;
  };
  using Slots = std::array<Slot, 32>;
  const Slots& slots() const { return slots_; }
  void store_all(const Slots& slots);
  void fetch_all(const Slots& slots);
  // All values are in the rows, none in registers.
  void clear_all();
  void load_masks();
  void leave();  // returns eax; rows must be up to date

  // Reads lane 0 of a row with 4 or 8 bytes per lane.
  void read_first(const Xbyak::Reg64& to, RowOffset row, bool is_wide);

  // Registers of a function that makes calls: the mask, the third argument of NativeRun, and one
  // for the user.
  const Xbyak::Reg32 mask_register{ebp};
  const Xbyak::Reg64 context{r12}, user{r13};

  const uint64_t* constant_row(RowOffset row) const {
    const auto it = constants_.find(row);
    return it == constants_.end() ? nullptr : &it->second;
  }
  // Temporary masks for users.
  const Xbyak::Opmask scratch_mask{7}, other_scratch_mask{6};

 private:
  int find(Holds holds, uint64_t key) const;
  int allocate();
  void store(int index);
  void drop_chunk(uint64_t key);
  void fill(int index);
  Zmm constant(Holds holds, uint64_t key);
  Xbyak::Address chunk_at(uint64_t key);
  uint64_t key_of(RowOffset row, int chunk) const { return row / 64 + static_cast<uint64_t>(chunk); }

  uint32_t next_read(const Slot& slot) const;

  const ConstantRows& constants_;
  const ChunkUses& uses_;
  int bias_ = 0;  // offset of the base register from the first row
  uint32_t operation_ = 0;
  Slots slots_;
  uint64_t time_ = 0, step_begin_ = 0;
  bool masked_ = false, calls_ = false;
  Xbyak::Reg64 base_;
  Xbyak::Reg32 mask_;
};

}  // namespace ridge::machine
