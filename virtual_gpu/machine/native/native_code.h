// The second tier of the interpreter: frequently executed stretches of lane operations, loads and
// stores as native code. The first tier calls one function per operation; here a stretch is one
// function, and a value stays in a vector register from its definition to its uses. The results are
// bit-identical.
//
// All executors of a program share this code. What is not compiled (not yet, or never: no generator
// in the build, no AVX-512, RIDGE_NATIVE=off, no executable memory) is interpreted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace ridge::machine {

class Program;
class Core;
struct AccessCache;
struct ReadLog;

// The executor's data that native code uses.
struct NativeContext {
  Core* core = nullptr;
  AccessCache* cached = nullptr;   // by MemoryOp::cache
  uint64_t* seen = nullptr;       // by MemoryOp::pattern_slot
  std::byte* shared = nullptr;    // of the running block
  ReadLog* log = nullptr;         // of the running block: see ElidedAccess
  bool* made_progress = nullptr;  // set by stores that other threads can see
  uint32_t warp = 0;              // in the block
  // Makes the access of the instruction in the general way. A nonzero result is the position at
  // which the interpreter must continue.
  uint32_t (*access)(NativeContext* context, uint32_t pc, uint32_t mask) = nullptr;
  std::exception_ptr failure;  // the exception of the access that caused the exit
};

// A stretch for the lanes of `mask`; the one for all lanes ignores the mask. Returns 0 after
// complete execution, otherwise the number of the first instruction that was not executed.
using NativeRun = uint32_t (*)(std::byte* registers, uint32_t mask, NativeContext* context);

// The stretch that begins at an instruction, for executors with or without observers.
struct NativeEntry {
  struct Variant {
    std::atomic<NativeRun> run{nullptr};
    std::atomic<uint32_t> heat{0};  // number of interpretations; approximate
  };
  Variant full[2], masked[2];  // [is observed]
};

class NativeCode {
 public:
  // How to compile: for all lanes or for some, with or without observers, and the known properties
  // of the accesses.
  struct Form {
    bool is_masked = false, is_observed = false;
    const AccessCache* cached = nullptr;
  };

  virtual ~NativeCode() = default;
  // By program counter; valid during the lifetime of this object.
  NativeEntry* entries() { return entries_.get(); }
  // Called before the stretch is interpreted again. Compiles it when it has been interpreted often
  // enough.
  void interpreted(const Program& program, uint32_t pc, const Form& form) {
    NativeEntry& entry = entries_[pc];
    std::atomic<uint32_t>& heat = (form.is_masked ? entry.masked : entry.full)[form.is_observed].heat;
    const uint32_t before = heat.load(std::memory_order_relaxed);
    if (before > kHotCount) return;
    heat.store(before + 1, std::memory_order_relaxed);
    if (before == kHotCount) compile(program, pc, form);
  }

 protected:
  static constexpr uint32_t kHotCount = 40;
  virtual void compile(const Program& program, uint32_t pc, const Form& form) = 0;
  std::unique_ptr<NativeEntry[]> entries_;
};

// nullptr when there is no second tier on this machine; `native_tier_text` says why.
std::shared_ptr<NativeCode> make_native_code(const Program& program);

// A text for the user: "AVX-512", or "off: " and the reason.
std::string native_tier_text();

}  // namespace ridge::machine
