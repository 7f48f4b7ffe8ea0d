// The events that the interpreter reports while it executes. Checks and counters are observers, which the
// machine does not know. One Observer serves one host thread, so it needs no lock; the factory collects the
// observers when the grid has ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "virtual_gpu/machine/faults/fault_cause.h"
#include "virtual_gpu/machine/memory/access_elision.h"

namespace ridge::machine {

class Program;

enum class AccessSpace : uint8_t { global, shared, local, constant, param };
enum class AccessKind : uint8_t { load, store, atomic, reduction };
// How the addresses of the active lanes lie; the cheap shapes have closed formulas.
enum class AccessShape : uint8_t { uniform, strided, scattered };

// How an access orders other threads. weak: an ordinary ld/st; relaxed: .volatile, .relaxed and atomics
// without an order of their own. An acquire or a release pairs through the address it is made to.
enum class Ordering : uint8_t { weak, relaxed, acquire, release, acquire_release };
enum class Scope : uint8_t { block, cluster, device, system };
// What makes an access: an instruction of a thread (generic), or an asynchronous unit (TMA, wgmma), which sees
// the writes of threads only after fence.proxy.async.
enum class Proxy : uint8_t { generic, async };

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
  Ordering ordering = Ordering::weak;
  Scope scope = Scope::system;
  Proxy proxy = Proxy::generic;
  uint64_t owner = 0;  // shared: linear index of the block whose shared memory it is (in a cluster, perhaps
                       // not `block`)
  uint64_t first = 0;  // address of the first active lane
  // The previous access of this instruction that this observer saw was the same except for `first`, the
  // block and the warp (cp.async makes two series of accesses, loads and stores): mask, kind, space and the
  // distances between the lanes. What does not depend on where the first lane points (but for its low bits)
  // need not be computed again.
  bool repeats = false;
  // cp.async's loads: [32], the destinations in shared memory; they repeat only if the destinations do.
  const uint64_t* lands_at = nullptr;
};

// A copy or a matrix unit's read that lanes did not make one by one: a set of runs of bytes.
struct BulkAccess {
  uint32_t instruction = 0;
  AccessSpace space = AccessSpace::shared;  // shared: offsets in the block's window; global: addresses
  AccessKind kind = AccessKind::load;
  uint64_t block = 0;  // that issued it
  uint32_t warp = 0;
  uint32_t mask = 0;   // the lanes that issued it; the first represents all
  uint64_t owner = 0;  // shared: linear index of the block whose shared memory it is
  struct Run {
    uint64_t begin = 0, bytes = 0;
  };
  std::span<const Run> runs;
  // A bulk copy that lands: the mbarrier that it completes on (offset), and its phase.
  uint64_t mbarrier = 0, phase = 0;
  bool lands = false;
  bool together = false;  // another warp of the warpgroup has just read the same bytes with the same wgmma
};

// A place of synchronisation: what precedes a release of it is visible after an acquire of the same place.
struct SyncPlace {
  enum class Kind : uint8_t {
    block_barrier,    // id: barrier number, phase: how often it completed
    warp,             // __syncwarp and every *.sync: id: warp
    cluster_barrier,  // block: first block of the cluster, phase: how often it completed
    cluster_relaxed,  // the same, by a .relaxed arrival or wait: threads synchronise, memory is not ordered
    mbarrier,         // block: whose shared memory, id: offset of the object, phase: its phase
    grid,             // cooperative grid barrier, when the machine knows of it
    bulk_group,       // groups of cp.async and wgmma: id: warp, of bulk copies: 32 + warp; phase: group
  };
  Kind kind = Kind::block_barrier;
  uint64_t block = 0;
  uint64_t id = 0, phase = 0;
};

// Thrown by an observer's callback to end the launch: the machine adds where it happened and the thread.
// \x01 in `what` is replaced by "kernel, block (x, y, z), thread (x, y, z), file:line".
struct ObservedFault : std::runtime_error {
  enum class Kind : uint8_t { uninitialised, race } kind = Kind::race;
  uint32_t instruction = 0;
  uint32_t warp = 0, lane = 0;
  std::string advice;
  FaultCause cause;
  bool concerns_buffer = false;  // that copies fill and mbarriers guard
  ObservedFault(Kind kind_of, uint32_t at, uint32_t warp_of, uint32_t lane_of, const std::string& what,
                std::string try_next, FaultCause because = {})
      : std::runtime_error(what),
        kind(kind_of),
        instruction(at),
        warp(warp_of),
        lane(lane_of),
        advice(std::move(try_next)),
        cause(std::move(because)) {}
};

void fill_addresses(const Access& access, uint64_t out[32]);

// Two copies under way bring different bytes to one place of shared memory: a lane of the running warp has
// just started one, this thread started the other.
struct CopyClash {
  uint64_t offset = 0;
  uint32_t lane_now = 0;
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0, instruction = 0;
};

// What the executor that an observer serves knows at a callback, for the few times when it matters.
class MachineView {
 public:
  virtual ~MachineView() = default;
  virtual const std::byte* registers() const = 0;      // of the frame: what a store is about to store
  virtual const std::byte* shared_window() const = 0;  // where the block's shared memory is on the host
  virtual uint32_t running_warp() const { return 0; }  // in its block: whose instructions issued() reports
  // In async_copy_begins() and bulk_begins(), for [begin, end) of the shared memory of `block`.
  virtual std::optional<CopyClash> copy_clash(uint64_t /*block*/, uint64_t /*begin*/,
                                              uint64_t /*end*/) const {
    return std::nullopt;
  }
  // The same, of what is there by now: a byte where the copy that is being started brings another.
  virtual std::optional<CopyClash> landed_clash(uint64_t /*block*/, uint64_t /*begin*/,
                                                uint64_t /*end*/) const {
    return std::nullopt;
  }
  // Identifies the activation of a function that registers() belongs to.
  virtual const void* frame() const { return nullptr; }
  // In a callback about the running warp: from the next instruction on, before_instruction() is called before
  // each one of this warp, until step_warp(false).
  virtual void step_warp(bool /*on*/) {}
};

// An instruction that a warp under single-step is about to execute.
struct SteppedInstruction {
  uint64_t block = 0;
  uint32_t warp = 0, instruction = 0;
  uint32_t mask = 0;    // the lanes that are there
  uint32_t active = 0;  // those of them whose guard is true
};

// A shuffle some of whose lanes read from a lane that does not take part.
struct AbsentShuffle {
  uint64_t block = 0;
  uint32_t warp = 0, instruction = 0;
  uint32_t mask = 0, live = 0;  // lanes that execute it, and that have not returned
  uint32_t lanes = 0;           // that read an absent lane
  std::array<uint8_t, 32> sources{};  // which, by reading lane
};

struct AsyncStep;  // async_step.h
struct Product;    // matrix/product.h

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void attach(MachineView& /*machine*/) {}  // before the first block; it stays with this executor
  virtual void block_begin(uint64_t /*block*/) {}
  virtual void block_end(uint64_t /*block*/) {}
  // Called before the access is made and after the machine's own bounds check passed.
  virtual void access(const Access&) {}
  // The elision terms by instruction, valid as long as the observer exists; the machine counts elided
  // accesses there. nullptr: the observer sees every access.
  virtual ElidedAccess* elided_accesses() { return nullptr; }
  // The log in which the machine records elided loads of the shared memory of a running block; or nullptr.
  virtual ReadLog* read_log(uint64_t /*block*/) { return nullptr; }
  // `values` are the bytes read or written: 32 lanes of `access.bytes`, inactive lanes undefined. Only when
  // wants_values().
  virtual bool wants_values() const { return false; }
  virtual void values(const Access&, const void* /*values*/) {}
  // A bulk access, when its bytes move (not when it is issued).
  virtual void bulk_access(const BulkAccess&) {}
  // From here on an asynchronous unit may write these bytes of shared memory (store), or read them
  // (load), until bulk_access() says that it has; cp.async, lane by lane, until access() does.
  virtual void bulk_begins(const BulkAccess&) {}
  virtual void async_copy_begins(const Access&) {}
  // A warp's wgmma is issued: from here on it may read its operands. is_made: a wait of the warp has found it
  // done, so that it reads them no more.
  virtual void product(const Product&, bool /*is_made*/) {}
  // The lanes of `mask` are about to divide `a` by `b`, or to take the reciprocal or the root of `a`: rows of
  // 32 values of 4 or 8 bytes. Only in programs that were decoded with shows_rounded_operands.
  virtual void rounded_operands(uint32_t /*instruction*/, uint32_t /*mask*/, const std::byte* /*a*/,
                                const std::byte* /*b*/) {}
  // Only for warps under single-step (MachineView::step_warp).
  virtual void before_instruction(const SteppedInstruction&) {}
  virtual void absent_shuffle(const AbsentShuffle&) {}
  // A fault ended the block: what this observer has seen there that most likely caused it.
  virtual std::optional<ObservedFault> likely_cause(uint64_t /*block*/) { return std::nullopt; }
  // A step of asynchronous work, for traces.
  virtual void async_step(const AsyncStep&) {}
  // The lanes of `mask` release what they did before to `place`, or see what was released to it. A barrier is
  // a release at the arrival and an acquire when the lanes continue.
  virtual void released(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, const SyncPlace&) {}
  virtual void acquired(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, const SyncPlace&) {}
  // fence and membar: accesses before it are ordered before those after it for `scope`. proxy_async: what the
  // lanes wrote is there for the async proxy, and what it wrote for them.
  virtual void fence(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, Scope, bool /*proxy_async*/) {}
  // griddepcontrol: the lanes of `mask` have waited for the launches ahead, or let the launch behind begin.
  virtual void grid_dependency(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, bool /*waits*/) {}
  // The lanes of `mask` initialise the mbarrier at `offset` of the shared memory of block `owner`, or arrive
  // at it, expect bytes or wait.
  virtual void mbarrier(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, uint32_t /*instruction*/,
                        uint64_t /*owner*/, uint64_t /*offset*/, bool /*initialises*/) {}
  // A straight run of instructions [first, last) was issued with `mask` active. Called once per run, not once
  // per instruction.
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
  // After the last collect: what only showed when all blocks had run (two blocks that raced).
  struct LateFault {
    ObservedFault fault;
    uint64_t block = 0;
  };
  virtual std::optional<LateFault> verdict() { return std::nullopt; }
};

}  // namespace ridge::machine
