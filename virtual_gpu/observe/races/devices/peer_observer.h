// The observer of one host thread of a launch, for races between devices: it follows what each warp
// knows of the others.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/faults/other_launches.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/observe/races/devices/peer_shadow.h"
#include "virtual_gpu/observe/selective_observer.h"

namespace ridge::observe {

class PeerObserver final : public SelectiveObserver, public machine::WaitDescriber {
 public:
  PeerObserver(PeerShadow& shadow, uint32_t task, PastRef past, uint32_t warps,
               const machine::DeviceMemory& memory);

  bool subscribes_to(machine::AccessSpace space) const override {
    return space == machine::AccessSpace::global;
  }
  void block_begin(uint64_t block) override;
  void block_end(uint64_t block) override;
  void access(const machine::Access& access) override;
  void bulk_access(const machine::BulkAccess& access) override;
  std::string describe_wait(uint64_t block, uint32_t warp) const override;
  void released(uint64_t block, uint32_t warp, uint32_t mask,
                const machine::SyncPlace& place) override;
  void acquired(uint64_t block, uint32_t warp, uint32_t mask,
                const machine::SyncPlace& place) override;
  void fence(uint64_t block, uint32_t warp, uint32_t mask, machine::Scope scope,
             bool proxy_async) override;

 private:
  // A strong load whose value is not known to be there yet.
  struct FlagRead {
    uint64_t address = 0;
    uint32_t instruction = 0;
    bool acquires = false;
    machine::Scope scope = machine::Scope::system;
  };
  struct Named {
    uint32_t instruction = ~0u, stamp = 0, record = 0, traits = 0;
  };
  struct Warp {
    WarpStamps seen{};  // of the own block; its own entry is its time
    PastRef past;
    SnapshotRef now;  // the same, if nothing has changed since it was made
    SnapshotRef fenced_for_device, fenced_for_system;
    std::vector<FlagRead> just_read, relaxed_reads;
    std::vector<FlagRead> known_reads;  // also of warps that it has synchronised with: for messages
    std::array<Named, 16> named;        // records of its latest accesses, by instruction
    uint16_t acquired_from = 0;
  };
  struct BarrierPhase {  // what its arrivals released
    uint64_t phase = ~0ull;
    std::vector<std::pair<uint64_t, WarpStamps>> blocks;
    PastRef past;
    std::vector<FlagRead> reads;
    uint16_t acquired_from = 0;
  };
  static void remember(std::vector<FlagRead>& reads, const FlagRead& read);
  struct Block {
    std::vector<Warp> warps;
    std::unordered_map<uint64_t, std::array<BarrierPhase, 4>> barriers;
  };

  Warp* warp_at(uint64_t block, uint32_t warp);
  BarrierPhase* barrier_phase(uint64_t block, const machine::SyncPlace& place, bool makes);
  SnapshotRef snapshot(uint64_t block, Warp& warp) const;
  // The same for a release: later accesses of the warp are not covered.
  SnapshotRef release_snapshot(uint64_t block, uint32_t index, Warp& warp) const;
  void join(uint64_t block, Warp& warp, const SnapshotRef& snapshot, unsigned from);
  void settle(uint64_t block, Warp& warp);
  void acquire(uint64_t block, Warp& warp, const FlagRead& read, machine::Scope scope);
  void note_flag(const machine::Access& access, Warp& warp);
  uint32_t record(const machine::Access& access, Warp& warp);
  void touch(uint64_t begin, uint64_t bytes, uint32_t record, const Warp& warp, uint32_t lane);
  [[noreturn]] void report(const PeerRace& race, uint32_t record, const Warp& warp, uint32_t lane);

  PeerShadow& shadow_;
  const uint32_t task_;
  const unsigned device_;
  const PastRef past_;
  const uint32_t warps_;
  const machine::DeviceMemory& memory_;
  std::unordered_map<uint64_t, Block> blocks_;
};

}  // namespace ridge::observe
