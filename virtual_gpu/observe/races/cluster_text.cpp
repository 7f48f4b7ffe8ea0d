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

constexpr const char* kStartAdvice =
    "put cluster.sync() (barrier.cluster.arrive and wait) before the first use of another block's shared "
    "memory: "
    "only then have all blocks of the cluster started; __syncthreads() makes no other block wait";

std::string not_begun_text(const CheckedLaunch& launch, const char* verb, uint64_t owner,
                           const ClusterRace& race) {
  return fmt::format(
      "Race: \x01 {} {} of {}, and nothing makes sure that this block has started: until then its shared "
      "memory may be another's",
      verb, shared_place(launch, race.offset, 4), block_text(launch, owner));
}

}  // namespace

void report_cluster_copy(const CheckedLaunch& launch, const machine::BulkAccess& access,
                         const ClusterRace& race) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(access.mask));
  if (race.may_not_have_begun) {
    throw ObservedFault(ObservedFault::Kind::race, access.instruction, access.warp, lane,
                        not_begun_text(launch, "starts a copy into", access.owner, race), kStartAdvice);
  }
  throw ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp, lane,
      fmt::format(
          "Race: \x01 starts a copy into {} of {}, which {} of that block {}{}, and nothing makes the "
          "copy wait for that",
          shared_place(launch, race.offset, 4), block_text(launch, access.owner),
          thread_text(launch, race.other_thread), race.other_writes ? "wrote" : "read",
          at_site(launch, race.other_site)),
      "start the copy only when every block that it writes to has given its buffer back: let their threads "
      "arrive at an mbarrier of this block (mapa, mbarrier.arrive.shared::cluster) after their last read, "
      "and "
      "wait for it before the copy");
}

void report_cluster_race(const CheckedLaunch& launch, const machine::Access& access,
                         const ClusterRace& race) {
  const char* const verb = access.kind == AccessKind::load    ? "reads"
                           : access.kind == AccessKind::store ? "writes"
                                                              : "updates";
  if (race.may_not_have_begun) {
    throw ObservedFault(ObservedFault::Kind::race, access.instruction, access.warp, race.lane,
                        not_begun_text(launch, verb, access.owner, race), kStartAdvice);
  }
  const std::string what = fmt::format(
      "Race: \x01 {} {} of {}, which {} of {} {}{}, and nothing makes one of the two blocks wait for the "
      "other",
      verb, shared_place(launch, race.offset, 4), block_text(launch, access.owner),
      thread_text(launch, race.other_thread), block_text(launch, race.other_block),
      race.other_writes ? "wrote" : "read", at_site(launch, race.other_site));
  throw ObservedFault(ObservedFault::Kind::race, access.instruction, access.warp, race.lane, what,
                      "put cluster.sync() between the two: after a block has filled its shared memory and "
                      "before others read it, "
                      "and again before it is written anew; __syncthreads() makes no other block wait");
}

void report_early_end(const CheckedLaunch& launch, const ClusterSide& side, const ClusterSide::Peer& peer) {
  const uint32_t instruction =
      peer.site < launch.site_instructions.size() ? launch.site_instructions[peer.site] : 0;
  throw ObservedFault(
      ObservedFault::Kind::race, instruction, 0, 0,
      fmt::format(
          "Race: {} of {} {} {} of {}, and nothing makes that block stay until then: its shared memory "
          "goes when its threads have ended, \x01 among them",
          thread_text(launch, peer.thread), block_text(launch, peer.block),
          peer.arrives  ? "arrives at the mbarrier at"
          : peer.writes ? "writes"
                        : "reads",
          shared_place(launch, peer.offset, 4), block_text(launch, side.block)),
      "let no block of a cluster leave while others use its shared memory: end the kernel with "
      "cluster.sync()");
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
            "with "
            "the mbarrier"
          : "after mbarrier.init execute fence.mbarrier_init.release.cluster and cluster.sync(), before "
            "other blocks "
            "use the mbarrier");
}

}  // namespace ridge::observe
