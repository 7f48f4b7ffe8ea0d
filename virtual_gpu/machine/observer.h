// The events that the interpreter reports while it executes. Checks and counters are observers,
// which the machine does not know. One Observer serves one host thread, so it needs no lock; the
// factory collects the observers when the grid has ended.
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
// The pattern of the active lanes' addresses; uniform and strided have closed formulas.
enum class AccessShape : uint8_t { uniform, strided, scattered };

// How an access orders other threads. weak: an ordinary ld/st; relaxed: .volatile, .relaxed and
// atomics without another ordering. An acquire or a release synchronises through its address.
enum class Ordering : uint8_t { weak, relaxed, acquire, release, acquire_release };
enum class Scope : uint8_t { block, cluster, device, system };
// The source of an access: an instruction of a thread (generic), or an asynchronous unit (TMA,
// wgmma), which sees the writes of threads only after fence.proxy.async.
enum class Proxy : uint8_t { generic, async };

// One warp executing one memory instruction (the space is resolved: generic accesses are split by
// space).
struct Access {
  uint32_t instruction = 0;  // index in sources(program)
  AccessSpace space = AccessSpace::global;
  AccessKind kind = AccessKind::load;
  AccessShape shape = AccessShape::scattered;
  uint32_t mask = 0;   // active lanes
  uint32_t bytes = 0;  // per lane, the whole vector
  uint64_t base = 0;   // uniform, strided: address of lane 0, active or not
  int64_t stride = 0;  // strided: bytes between lanes
  // [32]; global: device addresses; shared, local: offsets in the window. Valid for scattered; for
  // the other shapes call fill_addresses().
  const uint64_t* addresses = nullptr;
  uint64_t block = 0;  // linear block index
  uint32_t warp = 0;   // in the block
  Ordering ordering = Ordering::weak;
  Scope scope = Scope::system;
  Proxy proxy = Proxy::generic;
  // Shared: linear index of the block that owns the shared memory (in a cluster it may differ from
  // `block`).
  uint64_t owner = 0;
  uint64_t first = 0;  // address of the first active lane
  // The previous access of this instruction that this observer saw was the same except for `first`,
  // the block and the warp: equal mask, kind, space and distances between the lanes. (cp.async
  // makes two series of accesses, loads and stores.) Results that depend only on the low bits of
  // `first` need not be computed again.
  bool repeats = false;
  // cp.async's loads: [32], the destinations in shared memory; they repeat only if the destinations
  // do.
  const uint64_t* lands_at = nullptr;
};

// A copy, or a read by a matrix unit, that is not made lane by lane: a set of byte ranges.
struct BulkAccess {
  uint32_t instruction = 0;
  AccessSpace space = AccessSpace::shared;  // shared: offsets in the block's window; global: addresses
  AccessKind kind = AccessKind::load;
  uint64_t block = 0;  // the issuing block
  uint32_t warp = 0;
  uint32_t mask = 0;   // the issuing lanes; the first represents all
  uint64_t owner = 0;  // shared: linear index of the block that owns the shared memory
  struct Run {
    uint64_t begin = 0, bytes = 0;
  };
  std::span<const Run> runs;
  // For the completion of a bulk copy: its mbarrier (offset) and phase.
  uint64_t mbarrier = 0, phase = 0;
  bool lands = false;
  // The copy still needs the shared memory when all threads of the block that owns it have exited.
  bool at_exit = false;
  // Another warp of the warpgroup has just read the same bytes for the same wgmma.
  bool together = false;
};

// A place of synchronisation: what precedes a release of it is visible after an acquire of the same
// place.
struct SyncPlace {
  enum class Kind : uint8_t {
    block_barrier,    // id: barrier number, phase: number of completions
    warp,             // __syncwarp and every *.sync: id: warp
    cluster_barrier,  // block: first block of the cluster, phase: number of completions
    cluster_relaxed,  // the same with .relaxed: threads synchronise, but memory is not ordered
    // Block: owner of the shared memory, id: offset of the object, phase: its phase.
    mbarrier,
    grid,             // cooperative grid barrier, when the machine recognises it
    bulk_group,       // groups of cp.async and wgmma: id: warp, of bulk copies: 32 + warp; phase: group
  };
  Kind kind = Kind::block_barrier;
  uint64_t block = 0;
  uint64_t id = 0, phase = 0;
};

// Thrown by an observer's callback to end the launch: the machine adds the place and the thread.
// \x01 in `what` is replaced by "kernel, block (x, y, z), thread (x, y, z), file:line".
struct ObservedFault : std::runtime_error {
  enum class Kind : uint8_t { uninitialised, race } kind = Kind::race;
  uint32_t instruction = 0;
  uint32_t warp = 0, lane = 0;
  std::string advice;
  FaultCause cause;
  bool concerns_buffer = false;  // about a buffer that copies fill and mbarriers protect
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

// Two copies in flight write different bytes to one place of shared memory: a lane of the running
// warp has just started one, this thread started the other.
struct CopyClash {
  uint64_t offset = 0;
  uint32_t lane_now = 0;
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0, instruction = 0;
};

// The state of the executor that an observer may query in a callback.
class MachineView {
 public:
  virtual ~MachineView() = default;
  virtual const std::byte* registers() const = 0;      // of the frame: the values of a store
  virtual const std::byte* shared_window() const = 0;  // host address of the block's shared memory
  // Index in its block: the warp whose instructions issued() reports.
  virtual uint32_t running_warp() const { return 0; }
  // Linear index of the block of that warp.
  virtual uint64_t running_block_index() const { return 0; }
  // In async_copy_begins() and bulk_begins(): searches [begin, end) of the shared memory of
  // `block`.
  virtual std::optional<CopyClash> copy_clash(uint64_t /*block*/, uint64_t /*begin*/,
                                              uint64_t /*end*/) const {
    return std::nullopt;
  }
  // The same for the current content: a byte that the copy that is being started would change.
  virtual std::optional<CopyClash> landed_clash(uint64_t /*block*/, uint64_t /*begin*/,
                                                uint64_t /*end*/) const {
    return std::nullopt;
  }
  // Identifies the function activation that registers() belongs to.
  virtual const void* frame() const { return nullptr; }
  // In a callback for the running warp: from the next instruction on, before_instruction() is
  // called before each instruction of this warp, until step_warp(false).
  virtual void step_warp(bool /*on*/) {}
  // In block_begin(): the same for all warps of the block, from their first instruction on.
  virtual void step_block() {}
};

// An instruction that a single-stepped warp is about to execute.
struct SteppedInstruction {
  uint64_t block = 0;
  uint32_t warp = 0, instruction = 0;
  uint32_t mask = 0;    // lanes at the instruction
  uint32_t active = 0;  // those whose guard is true
};

// A shuffle in which lanes read from a lane that does not participate.
struct AbsentShuffle {
  uint64_t block = 0;
  uint32_t warp = 0, instruction = 0;
  uint32_t mask = 0, live = 0;  // lanes that execute it; lanes that have not returned
  uint32_t lanes = 0;           // lanes that read an absent lane
  std::array<uint8_t, 32> sources{};  // the absent lane, by reading lane
};

struct AsyncStep;  // async_step.h
struct Product;    // matrix/product.h

class Observer {
 public:
  virtual ~Observer() = default;
  // Called before the first block; the machine outlives the observer.
  virtual void attach(MachineView& /*machine*/) {}
  virtual void block_begin(uint64_t /*block*/) {}
  virtual void block_end(uint64_t /*block*/) {}
  // Called before the access is made, after the machine's own bounds check.
  virtual void access(const Access&) {}
  // The elision terms by instruction, valid during the observer's lifetime; the machine counts
  // elided accesses there. nullptr: the observer sees every access.
  virtual ElidedAccess* elided_accesses() { return nullptr; }
  // The log in which the machine records elided loads of a running block's shared memory; or
  // nullptr.
  virtual ReadLog* read_log(uint64_t /*block*/) { return nullptr; }
  // `values` are the bytes read or written: 32 lanes of `access.bytes`, inactive lanes undefined.
  // Called only if wants_values().
  virtual bool wants_values() const { return false; }
  virtual void values(const Access&, const void* /*values*/) {}
  // A bulk access, when its bytes move (not when it is issued).
  virtual void bulk_access(const BulkAccess&) {}
  // From here on an asynchronous unit may write these bytes of shared memory (store), or read them
  // (load), until bulk_access() reports it; for cp.async lane by lane, until access() does.
  virtual void bulk_begins(const BulkAccess&) {}
  virtual void async_copy_begins(const Access&) {}
  // A warp issues a wgmma: from here on it may read its operands. is_made: a wait of the warp has
  // found it complete, so it no longer reads them.
  virtual void product(const Product&, bool /*is_made*/) {}
  // The lanes of `mask` are about to divide `a` by `b`, or to take the reciprocal or the root of `a`: rows of
  // 32 values of 4 or 8 bytes. Only in programs that were decoded with shows_rounded_operands.
  virtual void rounded_operands(uint32_t /*instruction*/, uint32_t /*mask*/, const std::byte* /*a*/,
                                const std::byte* /*b*/) {}
  // Only for warps under single-step (MachineView::step_warp).
  virtual void before_instruction(const SteppedInstruction&) {}
  virtual void absent_shuffle(const AbsentShuffle&) {}
  // A fault ended the block: returns what this observer has seen there and that most likely caused
  // it.
  virtual std::optional<ObservedFault> likely_cause(uint64_t /*block*/) { return std::nullopt; }
  // A step of asynchronous work, for traces.
  virtual void async_step(const AsyncStep&) {}
  // The lanes of `mask` release their earlier accesses to `place`, or acquire what was released to
  // it. A barrier is a release on arrival and an acquire when the lanes continue.
  virtual void released(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, const SyncPlace&) {}
  virtual void acquired(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, const SyncPlace&) {}
  // fence and membar: earlier accesses are ordered before later ones for `scope`. proxy_async: also
  // between the lanes and the async proxy, in both directions.
  virtual void fence(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, Scope, bool /*proxy_async*/) {}
  // griddepcontrol: the lanes of `mask` have waited for the previous launches, or allow the next
  // launch to begin.
  virtual void grid_dependency(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, bool /*waits*/) {}
  // The lanes of `mask` initialise the mbarrier at `offset` of the shared memory of block `owner`,
  // or arrive at it, expect bytes or wait.
  virtual void mbarrier(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*mask*/, uint32_t /*instruction*/,
                        uint64_t /*owner*/, uint64_t /*offset*/, bool /*initialises*/) {}
  // A straight run of instructions [first, last) was issued with `mask` active. Called once per
  // run, not once per instruction.
  virtual void issued(uint32_t /*first*/, uint32_t /*last*/, uint32_t /*mask*/) {}
  // The lanes of `mask` arrived at a barrier of their block (__syncthreads, bar, barrier).
  virtual void barrier(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*instruction*/, uint32_t /*mask*/) {}
  // The lanes of `mask` passed __syncwarp together.
  virtual void warp_barrier(uint64_t /*block*/, uint32_t /*warp*/, uint32_t /*instruction*/,
                            uint32_t /*mask*/) {}
  virtual void diverged(uint32_t /*instruction*/, uint32_t /*taken*/, uint32_t /*fell_through*/) {}
  // The same with its place, for observers that follow a warp; the machine calls this form.
  virtual void warp_diverged(uint64_t /*block*/, uint32_t /*warp*/, uint32_t instruction, uint32_t taken,
                             uint32_t fell_through) {
    diverged(instruction, taken, fell_through);
  }
};

class ObserverFactory {
 public:
  virtual ~ObserverFactory() = default;
  virtual std::unique_ptr<Observer> make(const Program& program) = 0;  // one per host thread
  virtual void collect(
      std::unique_ptr<Observer> observer) = 0;  // called on the launching thread, in a fixed order
  // After the last collect: an error that is only visible when all blocks have run (two racing
  // blocks).
  struct LateFault {
    ObservedFault fault;
    uint64_t block = 0;
  };
  virtual std::optional<LateFault> verdict() { return std::nullopt; }
  // After verdict(): what is an error only if somebody reads the memory at `address` afterwards.
  // `history` says how its value was made.
  struct DeferredFault {
    LateFault found;
    uint64_t address = 0;
    std::string history;
  };
  virtual std::vector<DeferredFault> deferred() { return {}; }
};

}  // namespace ridge::machine
