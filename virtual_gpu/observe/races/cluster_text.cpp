#include "virtual_gpu/observe/races/cluster_text.h"

#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/place_names.h"
#include "virtual_gpu/observe/check_text.h"

namespace ridge::observe {
namespace {

using machine::AccessKind;
using machine::MemorySpace;
using machine::ObservedFault;

std::string shared_place(const CheckedLaunch& launch, uint64_t offset, uint32_t bytes) {
  return machine::name_place(*launch.program, launch.config, launch.memory, MemorySpace::shared, offset,
                             bytes);
}

// " at tile.cu:12"
std::string at_site(const CheckedLaunch& launch, uint32_t site) {
  const std::string where = site_text(launch, site);
  return where.empty() ? "" : " at " + where;
}

// Names the block as in the student's code: by its rank in the cluster.
std::string ranked_block(const CheckedLaunch& launch, uint64_t block) {
  const machine::Dim3& c = launch.config.cluster;
  const uint64_t blocks = uint64_t{c.x} * c.y * c.z;
  return block_text(launch, block) +
         (c.y * c.z == 1 && blocks > 1 ? fmt::format(" (rank {})", block % launch.config.grid.x % c.x) : "");
}

machine::FaultCause cause_of(const char* id, const CheckedLaunch& launch, uint64_t offset, uint64_t owner,
                             uint64_t other) {
  machine::FaultCause cause{id,
                            {{"place", shared_place(launch, offset, 4)},
                             {"owner", ranked_block(launch, owner)},
                             {"other_block", ranked_block(launch, other)}}};
  machine::add_shared_place(cause, *launch.program, offset, shared_place(launch, offset, 4));
  return cause;
}

constexpr const char* kStartAdvice =
    "put cluster.sync() (barrier.cluster.arrive and wait) before the first use of another block's shared "
    "memory: "
    "only then have all blocks of the cluster started; __syncthreads() makes no other block wait";

std::string not_begun_text(const CheckedLaunch& launch, const char* verb, uint64_t owner,
                           const ClusterRace& race) {
  return fmt::format(
      "Race: \x01 {} {} of {}, and nothing ensures that this block has started: until then its "
      "shared memory may belong to another block",
      verb, shared_place(launch, race.offset, 4), ranked_block(launch, owner));
}

}  // namespace

void report_cluster_copy(const CheckedLaunch& launch, const machine::BulkAccess& access,
                         const ClusterRace& race) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(access.mask));
  if (race.may_not_have_begun) {
    throw ObservedFault(ObservedFault::Kind::race, access.instruction, access.warp, lane,
                        not_begun_text(launch, "starts a copy into", access.owner, race), kStartAdvice,
                        cause_of("cluster_not_started", launch, race.offset, access.owner, access.owner));
  }
  throw ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp, lane,
      fmt::format(
          "Race: \x01 starts a copy into {} of {}, which {} of that block {}{}, and nothing makes the "
          "copy wait for that",
          shared_place(launch, race.offset, 4), ranked_block(launch, access.owner),
          thread_text(launch, race.other_thread), race.other_writes ? "wrote" : "read",
          at_site(launch, race.other_site)),
      "start the copy only when every block that it writes to has released its buffer: let their threads "
      "arrive at an mbarrier of this block (mapa, mbarrier.arrive.shared::cluster) after their last read, "
      "and wait for it before the copy",
      cause_of("cluster_copy", launch, race.offset, access.owner, access.owner));
}

void report_cluster_race(const CheckedLaunch& launch, const machine::Access& access,
                         const ClusterRace& race) {
  const char* const verb = access.kind == AccessKind::load    ? "reads"
                           : access.kind == AccessKind::store ? "writes"
                                                              : "updates";
  if (race.may_not_have_begun) {
    throw ObservedFault(ObservedFault::Kind::race, access.instruction, access.warp, race.lane,
                        not_begun_text(launch, verb, access.owner, race), kStartAdvice,
                        cause_of("cluster_not_started", launch, race.offset, access.owner, access.owner));
  }
  const std::string what = fmt::format(
      "Race: \x01 {} {} of {}, which {} of {} {}{}, and nothing makes one of the two blocks wait for the "
      "other",
      verb, shared_place(launch, race.offset, 4), ranked_block(launch, access.owner),
      thread_text(launch, race.other_thread), ranked_block(launch, race.other_block),
      race.other_writes ? "wrote" : "read", at_site(launch, race.other_site));
  throw ObservedFault(ObservedFault::Kind::race, access.instruction, access.warp, race.lane, what,
                      "put cluster.sync() between the two: after a block has filled its shared memory and "
                      "before others read it, and again before it is written anew; __syncthreads() makes no "
                      "other block wait",
                      cause_of("cluster_access", launch, race.offset, access.owner, race.other_block));
}

void report_early_end(const CheckedLaunch& launch, const ClusterSide& side, const ClusterSide::Peer& peer) {
  const uint32_t instruction =
      peer.site < launch.site_instructions.size() ? launch.site_instructions[peer.site] : 0;
  throw ObservedFault(
      ObservedFault::Kind::race, instruction, 0, 0,
      fmt::format(
          "Race: {} of {} {} {} of {}, and nothing keeps that block alive until then: its shared "
          "memory is freed when its threads have ended, \x01 among them",
          thread_text(launch, peer.thread), ranked_block(launch, peer.block),
          peer.arrives  ? "arrives at the mbarrier at"
          : peer.writes ? "writes"
                        : "reads",
          shared_place(launch, peer.offset, 4), ranked_block(launch, side.block)),
      "let no block of a cluster leave while others use its shared memory: end the kernel with "
      "cluster.sync()",
      cause_of("cluster_early_end", launch, peer.offset, side.block, peer.block));
}

void report_early_mbarrier(const CheckedLaunch& launch, const MbarrierUse& use, const MbarrierStart& start) {
  const bool own = use.block == use.owner;
  throw ObservedFault(
      ObservedFault::Kind::race, use.instruction, use.warp, use.lane,
      fmt::format(
          "Race: \x01 uses the mbarrier at {}{}, which {} initialises{}, and nothing makes the one wait "
          "for the other",
          shared_place(launch, use.offset, 8), own ? "" : " of " + block_text(launch, use.owner),
          thread_text(launch, start.thread), at_site(launch, start.site)),
      own ? "put a __syncthreads() between mbarrier.init (init() of cuda::barrier) and what other threads do "
            "with the mbarrier"
          : "after mbarrier.init execute fence.mbarrier_init.release.cluster and cluster.sync(), before "
            "other blocks use the mbarrier",
      {own ? "mbarrier_init_block" : "mbarrier_init_cluster", {}});
}

void report_unfenced_mbarrier(const CheckedLaunch& launch, const MbarrierUse& use, const MbarrierStart& start,
                              bool by_copy) {
  throw ObservedFault(
      ObservedFault::Kind::race, use.instruction, use.warp, use.lane,
      fmt::format("Race: \x01 {} the mbarrier at {}{}, which {} initialises{}, and no fence makes the "
                  "initialisation visible to {}",
                  by_copy ? "starts a copy that completes on" : "uses", shared_place(launch, use.offset, 8),
                  use.block == use.owner ? "" : " of " + block_text(launch, use.owner),
                  thread_text(launch, start.thread), at_site(launch, start.site),
                  by_copy ? "the copy engine" : "the other blocks of the cluster"),
      by_copy ? "in the thread that initialises it, execute fence.mbarrier_init.release.cluster "
                "(cuda::ptx::fence_mbarrier_init, cutlass::arch::fence_barrier_init) or fence.proxy.async after "
                "mbarrier.init, then a barrier of the block"
              : "after mbarrier.init execute fence.mbarrier_init.release.cluster, or let the arrival at the "
                "cluster's barrier release (without .relaxed)",
      {use.block == use.owner ? "mbarrier_init_block" : "mbarrier_init_cluster", {}});
}

}  // namespace ridge::observe
