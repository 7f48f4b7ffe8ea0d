// Detects races on shared memory between blocks of a cluster, with one vector clock per block.
//
// Time is each block's own clock (block_clock.h). A release by one thread counts for its whole
// block and so does an acquire, so everything found here is a race whatever the threads inside the
// blocks do. Accesses of other blocks to a block's shared memory are stored in marks by word;
// accesses of the block itself are in the shadow's cells.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe {

// An entry of a vector clock: all accesses of the block up to this stamp happened before.
struct BlockEpoch {
  uint64_t block = 0;
  uint32_t stamp = 0;
};

// Two unordered accesses to one block's shared memory; the lane's came second.
struct ClusterRace {
  uint32_t lane = 0;
  uint64_t offset = 0;
  uint64_t other_block = 0;
  uint32_t other_thread = 0, other_site = Cell::kUnknownSite;
  bool other_writes = false;
  // The block that owns the shared memory; there is no other access.
  bool may_not_have_begun = false;
};

// The vector clock of a block of a cluster, and the accesses of other blocks to its shared memory.
struct ClusterSide {
  struct Mark {
    uint32_t stamp = 0;  // 0: none
    uint16_t thread = 0, site = 0;
    uint8_t peer = 0;  // index in `peers`
    uint8_t bytes = 0;
    bool strong = false;
  };
  struct Word {
    Mark writer, reader;
  };
  // Another block that has accessed this one's shared memory, and its last access.
  struct Peer {
    uint64_t block = 0;
    uint32_t stamp = 0;
    uint64_t offset = 0;
    uint32_t thread = 0, site = 0;
    bool writes = false;
    bool arrives = false;  // it arrived at an mbarrier
  };

  uint64_t block = 0;
  uint32_t begin_stamp = 0;
  std::vector<BlockEpoch> seen_epochs;
  std::vector<Word> words;  // empty until the first access
  std::vector<Peer> peers;
  // The cluster barrier's next phase: the block has waited for all phases below.
  uint64_t next_phase = 0;
  bool has_marks = false;       // the last access of some peer may not be complete
  // It may have synchronised with any block through flags in global memory.
  bool synchronized_by_flags = false;

  void begin(uint64_t own_block, uint32_t stamp);
  uint32_t clock_of(uint64_t other) const;
  void join(const BlockEpoch& epoch);
  // True when the block cannot know that the other one has begun; only from then on does that
  // shared memory exist.
  bool starts_too_early(const ClusterSide& other) const {
    return !synchronized_by_flags && clock_of(other.block) < other.begin_stamp;
  }
};

class ClusterShadow {
 public:
  // Threads of the side's block release to a barrier, an mbarrier or a flag, or acquire from it.
  void released(ClusterSide& side, BlockClock& clock, const machine::SyncPlace& place);
  void acquired(ClusterSide& side, const machine::SyncPlace& place);
  // A strong access (volatile, an atomic) may be to a flag: its reader merges the clocks of its
  // writers.
  void flag_synchronized(ClusterSide& side, BlockClock& clock, const machine::Access& access, bool acquires);

  // An access of the block `from` to the shared memory of `owner`. `window`: its current content.
  std::optional<ClusterRace> peer_access(const machine::Access& access, uint32_t site, ClusterSide& from,
                                         BlockClock& clock, ClusterSide& owner, const SharedShadow& shared,
                                         const StoredValues& values, const std::byte* window);
  // The block arrives at an mbarrier of `owner`, or starts a copy into its shared memory: `owner`
  // must not exit before.
  static void record_peer(const ClusterSide::Peer& peer, ClusterSide& owner);
  // A copy that the block `from` starts writes [offset, offset + bytes) of the shared memory of
  // `owner`.
  static std::optional<ClusterRace> copy_begins(const ClusterSide& from, const ClusterSide& owner,
                                                const SharedShadow& shared, uint64_t offset, uint64_t bytes);
  // An access to the block's own shared memory while other blocks have marks there.
  static std::optional<ClusterRace> own_access(const machine::Access& access, const ClusterSide& owner,
                                               const StoredValues& values, const std::byte* window);
  // The block ends. Returns a peer whose last access to its shared memory may not be complete, or
  // nullptr.
  const ClusterSide::Peer* end(const ClusterSide& side, uint32_t stamp);
  // Called when no block is left.
  void forget() {
    ended_.clear();
    released_.clear();
  }

 private:
  struct ReleasedEpochs {
    uint64_t phase = ~0ull;
    std::vector<BlockEpoch> epochs;
  };
  static constexpr size_t kPhasesKept = 4;
  ReleasedEpochs& released_at(const machine::SyncPlace& place);

  std::unordered_map<uint64_t, std::array<ReleasedEpochs, kPhasesKept>> released_;
  // Its threads count as arrived at the cluster's barrier from this phase on.
  struct EndedBlock {
    uint64_t phase = 0;
    BlockEpoch epoch;
  };
  std::vector<EndedBlock> ended_;
};

}  // namespace ridge::observe
