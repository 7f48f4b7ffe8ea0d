// The messages of findings about asynchronous copies.
#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/place_names.h"
#include "virtual_gpu/observe/check_text.h"

namespace ridge::observe {
namespace {

using machine::AccessKind;
using machine::ObservedFault;
using machine::OpKind;

std::string shared_place(const CheckedLaunch& launch, uint64_t offset) {
  return machine::name_place(*launch.program, launch.config, launch.memory, machine::MemorySpace::shared,
                             offset, 4);
}

// By the site that started it.
bool is_bulk(const CheckedLaunch& launch, uint32_t site) {
  return site < launch.site_instructions.size() &&
         launch.program->ops[launch.site_instructions[site]].kind == OpKind::bulk_copy;
}

// "the cp.async at tile.cu:12"
std::string copy_text(const CheckedLaunch& launch, uint32_t site) {
  const std::string where = site_text(launch, site);
  return std::string(is_bulk(launch, site) ? "the bulk copy" : "the cp.async") +
         (where.empty() ? "" : " at " + where);
}

constexpr const char* kStoreAdvice =
    "let the thread that started the copy commit its group and wait for it (cp.async.bulk.commit_group, "
    "cp.async.bulk.wait_group.read 0), and put a __syncthreads() after that, before the shared array is "
    "written again";

// For who reads what the copy of a site has not filled yet.
const char* wait_advice(const CheckedLaunch& launch, uint32_t site) {
  return is_bulk(launch, site)
             ? "let every thread that uses the tile wait for the copy's mbarrier first, for the phase that "
               "the copy "
               "completes and expect_tx announces (the first has parity 0, the next 1, then 0 again); if the "
               "copy is for a later "
               "turn, it "
               "was started too early: let it wait until all threads have read the buffer"
             : "let the thread that started the copy commit it and wait for its group "
               "(cp.async.commit_group, "
               "cp.async.wait_group N with N the newer groups that may stay under way, or "
               "__pipeline_wait_prior(N)), with a __syncthreads() after that for the others; if the copy is "
               "for a "
               "later turn, put a __syncthreads() between the last read of the buffer and the copy";
}

}  // namespace

void report_copy_conflict(const CheckedLaunch& launch, const machine::Access& access, const SharedRace& race) {
  const char* const verb = access.kind == AccessKind::load    ? "reads"
                           : access.kind == AccessKind::store ? "writes"
                                                              : "updates";
  const bool arrives = race.copy == SharedRace::Copy::arrives;
  if (race.copy == SharedRace::Copy::landed) {
    throw ObservedFault(
        ObservedFault::Kind::race, access.instruction, access.warp, race.thread % 32,
        fmt::format(
            "Race: \x01 {} {}, which {} fills, and has not waited for that: other threads have waited "
            "for its mbarrier, and nothing makes this one wait for them",
            verb, shared_place(launch, race.offset), copy_text(launch, race.other_site)),
        "let every thread that uses the tile wait for the copy's mbarrier itself, or put a __syncthreads() "
        "between the wait of some threads and the use by the others");
  }
  const char* const advice = arrives ? wait_advice(launch, race.other_site) : kStoreAdvice;
  throw ObservedFault(ObservedFault::Kind::race, access.instruction, access.warp, race.thread % 32,
                      fmt::format("Race: \x01 {} {}, which {} {}: nobody has waited for it", verb,
                                  shared_place(launch, race.offset), copy_text(launch, race.other_site),
                                  arrives ? "is still filling" : "may still be reading"),
                      advice);
}

void report_unit_copy_conflict(const CheckedLaunch& launch, const machine::BulkAccess& access,
                            const SharedRace& race) {
  throw ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp,
      static_cast<uint32_t>(std::countr_zero(access.mask)),
      fmt::format(
          "Race: \x01 lets a unit beside the threads (TMA or the tensor cores) read {}, which {} is still "
          "filling: nobody has waited for it",
          shared_place(launch, race.offset), copy_text(launch, race.other_site)),
      is_bulk(launch, race.other_site) ? "wait for the copy's mbarrier before the product; if the copy is "
                                         "for a later turn, it was started too "
                                         "early: let the consumers wait for their products "
                                         "(wgmma.wait_group) before they give the buffer back"
                                       : wait_advice(launch, race.other_site));
}

void report_early_copy(const CheckedLaunch& launch, uint32_t instruction, const SharedRace& race,
                       AccessKind kind) {
  const bool leaves = race.copy == SharedRace::Copy::leaves;
  if (race.first_write && race.other_site < launch.site_instructions.size()) {
    // The reader came too early: it is the reader's line that needs the wait before it.
    const uint32_t site = launch.sites[instruction];
    throw ObservedFault(
        ObservedFault::Kind::race, launch.site_instructions[race.other_site], race.other_thread / 32,
        race.other_thread % 32,
        fmt::format(
            "Race: \x01 reads {} before {}, which {} starts, has filled it, and nothing makes it wait",
            shared_place(launch, race.offset), copy_text(launch, site), thread_text(launch, race.thread)),
        wait_advice(launch, site));
  }
  const std::string where = site_text(launch, race.other_site);
  const std::string other =
      leaves ? fmt::format("{} may still be reading: nobody has waited for it",
                           copy_text(launch, race.other_site))
             : fmt::format("{} {}{}, and nothing makes the copy wait for that",
                           thread_text(launch, race.other_thread), race.other_writes ? "wrote" : "read",
                           where.empty() ? "" : " at " + where);
  throw ObservedFault(
      ObservedFault::Kind::race, instruction, race.thread / 32, race.thread % 32,
      fmt::format("Race: \x01 starts a copy {} {}, which {}", kind == AccessKind::load ? "of" : "into",
                  shared_place(launch, race.offset), other),
      kind == AccessKind::load ? "let the threads that fill the tile execute fence.proxy.async "
                                 "(cuda::ptx::fence_proxy_async) after their "
                                 "last write, then put a __syncthreads(), then let one thread start the copy"
      : leaves
          ? kStoreAdvice
          : "a copy may write from the moment it is started: put the barrier that ends the use of the buffer "
            "(__syncthreads(), or a wait for the mbarrier by which its readers give it back) before the "
            "copy, "
            "not only before the wait for it");
}

void report_copy_clash(const CheckedLaunch& launch, uint64_t block, uint32_t instruction, uint32_t warp,
                       const machine::CopyClash& clash) {
  const uint32_t other = launch.sites[clash.instruction];
  const std::string who = thread_text(launch, clash.warp * 32 + clash.lane) +
                          (clash.block == block ? "" : " of " + block_text(launch, clash.block));
  throw ObservedFault(
      ObservedFault::Kind::race, instruction, warp, clash.lane_now,
      fmt::format("Race: \x01 starts a copy into {}, which {}, started by {}, is still filling with other "
                  "bytes: nobody has waited for it",
                  shared_place(launch, clash.offset), copy_text(launch, other), who),
      is_bulk(launch, other)
          ? "two copies under way are in no order: give each a place of its own (is the stage's index "
            "right?), "
            "let one thread start each copy, and wait for the first one's mbarrier before its place is "
            "filled "
            "anew"
          : "two copies under way are in no order: give each a place of its own (is the stage's index "
            "right?), "
            "and wait for the first (cp.async.wait_group, __pipeline_wait_prior) before its place is filled "
            "anew");
}

void report_landed_clash(const CheckedLaunch& launch, uint32_t instruction, uint32_t warp,
                         const machine::CopyClash& clash, uint32_t landed_site) {
  throw ObservedFault(
      ObservedFault::Kind::race, instruction, warp, clash.lane_now,
      fmt::format(
          "Race: \x01 starts a copy into {}, where {} brings other bytes, and has not waited for that "
          "one: either may be the last",
          shared_place(launch, clash.offset), copy_text(launch, landed_site)),
      "two copies are in no order unless the second is started after a wait for the first one's mbarrier: "
      "let "
      "the thread wait for it, or for threads that have (the mbarrier by which they give the buffer back, or "
      "a "
      "__syncthreads())");
}

void report_overwritten_product(const CheckedLaunch& launch, uint32_t instruction, uint32_t warp,
                                uint32_t lane, uint64_t offset, const ProductRead& read) {
  const OpKind kind = launch.program->ops[instruction].kind;
  const bool copies = kind == OpKind::bulk_copy || kind == OpKind::async_copy;
  const std::string where = site_text(launch, read.site);
  const uint32_t first = read.warpgroup * ProductReads::kGroupWarps * 32;
  throw ObservedFault(
      ObservedFault::Kind::race, instruction, warp, lane,
      fmt::format("Race: \x01 {} {}, which the wgmma{} of threads {} to {} {}",
                  copies ? "starts a copy into" : "writes", shared_place(launch, offset),
                  where.empty() ? "" : " at " + where, first, first + ProductReads::kGroupWarps * 32 - 1,
                  read.is_under_way() ? "may still be reading: they have not waited for it"
                                      : "has read, and nothing makes the write wait for that"),
      read.is_under_way()
          ? "let the warps wait for the product (wgmma.wait_group) before the buffer is given back or "
            "written; "
            "after wait_group N the newest N groups may still read: give back the buffer of the group before "
            "them"
          : "let the warps that multiply give the buffer back after wgmma.wait_group (an arrival at an "
            "mbarrier, or a __syncthreads()), and let who writes there wait for that first");
}

}  // namespace ridge::observe
