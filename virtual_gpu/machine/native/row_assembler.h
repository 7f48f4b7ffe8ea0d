// An assembler that knows rows: it hands out vector registers that hold parts of rows, loads what is not in
// one, and stores what was written when somebody else may look at it, or the register is needed.
//
// A *chunk* is 64 bytes of a row, one AVX-512 register: 16 lanes of a 32-bit row, 8 of a 64-bit one.
// Operations are emitted a chunk at a time, each chunk in a step of its own: registers are the caller's until
// the next step.
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

// Values of rows that nobody writes, by row: immediates.
using ConstantRows = std::unordered_map<RowOffset, uint64_t>;

// What the operations of a stretch do with each chunk, in their order, and with all reads of an operation
// before its writes: what nobody reads for longest leaves its register first.
class ChunkUses {
 public:
  // float_read: only whether it is a NaN matters, not which one.
  enum class Kind : uint8_t { read, float_read, write };
  static constexpr uint32_t kNever = ~0u;

  void note(RowOffset row, RowType type, uint32_t operation, Kind kind);
  void record_chunks(RowOffset row, int chunks, uint32_t operation, Kind kind);
  // One of which it is not known here what it reads.
  void record_unknown(uint32_t operation) { unknown_.push_back(operation); }
  // The first read at `now` or behind it, of what the chunk holds now.
  uint32_t next_read(uint64_t chunk, uint32_t now) const;
  // What `operation` writes there is overwritten before anybody sees which NaN it is.
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

  // A function of the type NativeRun, from begin to end. One that makes calls keeps more.
  void begin(bool masked, bool calls);
  void end();
  bool is_masked() const { return masked_; }

  void begin_operation(uint32_t operation) { operation_ = operation; }
  void step();
  Zmm read(RowOffset row, int chunk);
  // A register of one's own with the value in it, to be changed. `dies`: the row is written next.
  Zmm copy(RowOffset row, int chunk, bool dies);
  Zmm fresh();
  Zmm constant32(uint32_t value);
  Zmm constant64(uint64_t value);
  Zmm constant(const void* vector);  // 64 bytes that stay where they are
  // The row's chunk is now `value`, which belongs to the assembler from here on; idle lanes keep theirs.
  void write(RowOffset row, int chunk, Width width, Zmm value);

  // The result of this operation that is going to be written there may keep a NaN that is not the GPU's.
  bool any_nan_will_do(RowOffset row, int chunk) const {
    return !masked_ && uses_.any_nan_will_do(key_of(row, chunk), operation_);
  }

  // A predicate's lanes of one chunk, and whole predicates. `from` is eax.
  Xbyak::Opmask read_lanes(RowOffset row, int chunk, Width width);
  Xbyak::Address predicate(RowOffset row);
  void write_predicate(RowOffset row);

  // A function of the first tier.
  void call(LaneFunction function, const LaneOperands& operands);

  // For detours around code that has been emitted: what the registers hold, to be stored before somebody else
  // runs and fetched again afterwards. Temporaries are not kept.
  enum class Holds : uint8_t { nothing, temporary, chunk, constant32, constant64, vector };
  struct Slot {
    Holds holds = Holds::nothing;
    bool dirty = false;
    uint64_t key = 0;  // the chunk's number, or the constant's value or place
    uint64_t used = 0;
  };
  using Slots = std::array<Slot, 32>;
  const Slots& slots() const { return slots_; }
  void store_all(const Slots& slots);
  void fetch_all(const Slots& slots);
  // Everything is in the rows, nothing in registers.
  void clear_all();
  void load_masks();
  void leave();  // with the result in eax; rows must be up to date

  // Lane 0 of a row of 4 or 8 bytes per lane.
  void read_first(const Xbyak::Reg64& to, RowOffset row, bool is_wide);

  // Registers of a function that makes calls: the mask, what NativeRun was given third, and one for its user.
  const Xbyak::Reg32 mask_register{ebp};
  const Xbyak::Reg64 context{r12}, user{r13};

  const uint64_t* constant_row(RowOffset row) const {
    const auto it = constants_.find(row);
    return it == constants_.end() ? nullptr : &it->second;
  }
  // For whoever needs a mask of his own for a moment.
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
  int bias_ = 0;  // the base register points so far behind the first row
  uint32_t operation_ = 0;
  Slots slots_;
  uint64_t time_ = 0, step_begin_ = 0;
  bool masked_ = false, calls_ = false;
  Xbyak::Reg64 base_;
  Xbyak::Reg32 mask_;
};

}  // namespace ridge::machine
