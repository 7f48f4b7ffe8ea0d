// What the interpreter tells others while it executes. Checks and counters are observers: the core does not
// know them. One Observer serves one host thread, so it needs no lock; the factory collects them when the
// grid has ended.
#pragma once

#include <cstdint>
#include <memory>

namespace ridge::machine {

class Program;

enum class AccessSpace : uint8_t { global, shared, local, constant, param };
enum class AccessKind : uint8_t { load, store, atomic, reduction };
// How the addresses of the active lanes lie; the cheap shapes have closed formulas.
enum class AccessShape : uint8_t { uniform, strided, scattered };

// One warp executing one memory instruction (the space is resolved: generic accesses are split by space).
struct Access {
  uint32_t instruction = 0;  // index in sources(program)
  AccessSpace space = AccessSpace::global;
  AccessKind kind = AccessKind::load;
  AccessShape shape = AccessShape::scattered;
  uint32_t mask = 0;   // active lanes
  uint32_t bytes = 0;  // a lane, the whole vector
  uint64_t base = 0;   // uniform, strided: address of lane 0 (it need not be active)
  int64_t stride = 0;  // strided: bytes from lane to lane
  const uint64_t* addresses =
      nullptr;         // [32]; global: device addresses; shared, local: offsets in the window. Valid for
                       // scattered; for the other shapes call fill_addresses()
  uint64_t block = 0;  // linear block index
  uint32_t warp = 0;   // in the block
};

void fill_addresses(const Access& access, uint64_t out[32]);

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void block_begin(uint64_t /*block*/) {}
  virtual void block_end(uint64_t /*block*/) {}
  // Called before the access is made and after the machine's own bounds check passed.
  virtual void access(const Access&) {}
  // `values` are the bytes read or written: 32 lanes of `access.bytes`, inactive lanes undefined. Only when
  // wants_values().
  virtual bool wants_values() const { return false; }
  virtual void values(const Access&, const void* /*values*/) {}
  // A straight run of instructions [first, last) was issued with `mask` active. Called once a run, not once
  // an instruction.
  virtual void issued(uint32_t /*first*/, uint32_t /*last*/, uint32_t /*mask*/) {}
  // The lanes of `mask` arrived at a barrier of their block (__syncthreads, bar, barrier); called at the
  // arrival.
  virtual void barrier(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*instruction*/, uint32_t /*mask*/) {}
  // The lanes of `mask` passed __syncwarp together.
  virtual void warp_barrier(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*instruction*/,
                            uint32_t /*mask*/) {}
  virtual void diverged(uint32_t /*instruction*/, uint32_t /*taken*/, uint32_t /*fell_through*/) {}
  // The same with where it happened, for observers that follow a warp: what the machine should call.
  virtual void warp_diverged(uint64_t /*block*/, uint32_t /*warp*/, uint32_t instruction, uint32_t taken,
                             uint32_t fell_through) {
    diverged(instruction, taken, fell_through);
  }
};

class ObserverFactory {
 public:
  virtual ~ObserverFactory() = default;
  virtual std::unique_ptr<Observer> make(const Program& program) = 0;  // one for each host thread
  virtual void collect(
      std::unique_ptr<Observer> observer) = 0;  // called on the launching thread, in a fixed order
};

}  // namespace ridge::machine
