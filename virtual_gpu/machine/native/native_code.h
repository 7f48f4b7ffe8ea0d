// The second tier of the interpreter: straight stretches of lane operations, loads and stores that turned out
// to be hot, as native code. The first tier calls one function an operation; here a stretch is one function,
// and a value stays in a vector register from the operation that makes it to those that use it. Results are
// the same bit for bit.
//
// A program has this code in common for all executors; what has not been compiled (yet, or at all: no
// generator at build time, no AVX-512, RIDGE_NATIVE=off, no executable memory) is interpreted.
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

// What native code knows of the executor that runs it.
struct NativeContext {
  Core* core = nullptr;
  AccessCache* cached = nullptr;   // by MemoryOp::cache
  uint64_t* seen = nullptr;       // by MemoryOp::pattern_slot
  std::byte* shared = nullptr;    // of the block that runs
  ReadLog* log = nullptr;         // of the block that runs: see ElidedAccess
  bool* made_progress = nullptr;  // set by stores that other threads can see
  uint32_t warp = 0;              // in the block
  // Makes the access of the instruction in whatever way. What is not 0 is where the interpreter has to go on.
  uint32_t (*access)(NativeContext* context, uint32_t pc, uint32_t mask) = nullptr;
  std::exception_ptr failure;  // thrown by the access that made it leave
};

// A stretch for the lanes of `mask`; the one for all lanes does not look at the mask. 0: executed to its end,
// otherwise up to the instruction with this number.
using NativeRun = uint32_t (*)(std::byte* registers, uint32_t mask, NativeContext* context);

// The stretch that begins at an instruction, for executors with observers or without.
struct NativeEntry {
  struct Variant {
    std::atomic<NativeRun> run{nullptr};
    std::atomic<uint32_t> heat{0};  // how often it was interpreted; may miss some
  };
  Variant full[2], masked[2];  // [is observed]
};

class NativeCode {
 public:
  // How to compile: for all lanes or for some, with observers or without, and what is known of the accesses.
  struct Form {
    bool is_masked = false, is_observed = false;
    const AccessCache* cached = nullptr;
  };

  virtual ~NativeCode() = default;
  // By program counter; lives as long as this.
  NativeEntry* entries() { return entries_.get(); }
  // The stretch is about to be interpreted once more. Compiles it when that is often enough to be worth it.
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

// Nothing when there is no second tier here; `native_tier_text` says why.
std::shared_ptr<NativeCode> make_native_code(const Program& program);

// For people: "AVX-512", or "off: " and the reason.
std::string native_tier_text();

}  // namespace ridge::machine
