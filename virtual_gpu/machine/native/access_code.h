// Loads and stores in native code. An access with an unchanged lane pattern (vector/access_cache.h)
// is executed inline, in the way that was selected when the code was generated; every other access
// takes a detour through the executor.
#pragma once

#include <deque>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/native/native_code.h"
#include "virtual_gpu/machine/native/row_assembler.h"
#include "virtual_gpu/machine/vector/access_cache.h"

namespace ridge::machine {

class AccessCode {
 public:
  AccessCode(RowAssembler& code, const Program& program, const NativeCode::Form& form)
      : code_(code), program_(program), form_(form) {}

  void emit(uint32_t pc);
  // Emits the detours after the end of the function.
  void finish();

 private:
  enum class Move : uint8_t {
    none,
    load_row32,
    load_row64,
    load_same32,
    load_same64,
    load_split2,
    load_split4,
    load_window32,
    load_near32,
    store_row32,
    store_row64,
  };
  struct Detour {
    Xbyak::Label begin, back;
    RowAssembler::Slots before, after;
    uint32_t pc = 0;
  };

  Move move_of(const MicroOp& op) const;
  bool may_elide_observers(const MicroOp& op, const AccessCache& cached) const;
  void call(uint32_t pc);
  void call_core(uint32_t pc);
  void emit_cached(uint32_t pc, const MicroOp& op, Move move);
  void emit_elision(const MemoryOp& memory, size_t at, Detour& detour);
  void emit_log();
  void compare_pattern(const MemoryOp& memory, size_t at, Detour& detour);
  void match(const MemoryOp& memory, size_t at, Detour& detour);
  void move_values(const MemoryOp& memory, Move move, size_t at);
  void load_split(const MemoryOp& memory);
  void load_window(const MemoryOp& memory, size_t at);
  void load_near(const MemoryOp& memory, size_t at);
  Xbyak::Address cached(size_t at, size_t member);
  Xbyak::Address byte_of(size_t at, size_t member);

  // address_: the address of the first lane, finally on the host; elided_: the elision terms;
  // work_: temporary. Constants are loaded in rax.
  const Xbyak::Reg64 address_{Xbyak::util::r11}, elided_{Xbyak::util::r10}, work_{Xbyak::util::rcx};

  RowAssembler& code_;
  const Program& program_;
  const NativeCode::Form& form_;
  std::deque<Detour> detours_;  // a deque keeps the labels' addresses stable
  Xbyak::Label leave_;
  bool leaves_ = false;
  Xbyak::Label log_;
  bool logs_ = false;
  RowAssembler::Zmm first_lane_, distance_, off_;  // temporaries of match()
  uint32_t pattern_slots_ = 0;                       // one bit per slot whose pattern is known here
};

}  // namespace ridge::machine
