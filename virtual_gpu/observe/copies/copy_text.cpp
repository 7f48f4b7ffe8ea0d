// The texts of findings about asynchronous copies.
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

// True when a bulk copy was started at the site.
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

// Marks a finding that may be a consequence of an mbarrier wait that passed immediately.
ObservedFault concerning_buffer(ObservedFault fault) {
  fault.concerns_buffer = true;
  return fault;
}

machine::FaultCause cause_of(const char* id, const CheckedLaunch& launch, uint64_t offset, uint32_t copy_site) {
  machine::FaultCause cause{id,
                            {{"place", shared_place(launch, offset)},
                             {"offset", std::to_string(offset)},
                             {"copy", copy_text(launch, copy_site)}}};
  machine::add_shared_place(cause, *launch.program, offset, shared_place(launch, offset));
  return cause;
}

constexpr const char* kStoreAdvice =
    "let the thread that started the copy commit its group and wait for it (cp.async.bulk.commit_group, "
    "cp.async.bulk.wait_group.read 0), and put a __syncthreads() after that, before the shared array is "
    "written again";

// A wait for all but the newest groups permits an access like a missing wait.
const char* unwaited_text(const CheckedLaunch& launch, uint32_t site) {
  return is_bulk(launch, site) ? "no wait for its mbarrier's phase came before"
                               : "no wait for its group came before; a wait that lets the newest groups "
                                 "through does not count for them";
}

// Advice for a read of data that the copy of a site has not written yet.
const char* wait_advice(const CheckedLaunch& launch, uint32_t site) {
  return is_bulk(launch, site)
             ? "let every thread that uses the tile wait for the copy's mbarrier first, for the phase that "
               "the copy completes and expect_tx announces (the first has parity 0, the next 1, then 0 "
               "again); if the copy is for a later iteration, it was started too early: let it wait until all "
               "threads have read the buffer"
             : "let the thread that started the copy commit it and wait for its group "
               "(cp.async.commit_group, cp.async.wait_group N with N the newer groups that may stay in "
               "flight, or __pipeline_wait_prior(N)), with a __syncthreads() after that for the others; if "
               "the copy is for a later iteration, put a __syncthreads() between the last read of the buffer "
               "and the copy";
}

}  // namespace

void report_copy_conflict(const CheckedLaunch& launch, const machine::Access& access, const SharedRace& race) {
  const char* const verb = access.kind == AccessKind::load    ? "reads"
                           : access.kind == AccessKind::store ? "writes"
                                                              : "updates";
  const bool arrives = race.copy == SharedRace::Copy::arrives;
  if (race.copy == SharedRace::Copy::landed) {
    throw concerning_buffer(ObservedFault(
        ObservedFault::Kind::race, access.instruction, access.warp, race.thread % 32,
        fmt::format(
            "Race: \x01 {} {}, which {} fills, and has not waited for that: other threads have waited "
            "for its mbarrier, and nothing makes this one wait for them",
            verb, shared_place(launch, race.offset), copy_text(launch, race.other_site)),
        "let every thread that uses the tile wait for the copy's mbarrier itself, or put a __syncthreads() "
        "between the wait of some threads and the use by the others",
        cause_of("copy_waited_by_others", launch, race.offset, race.other_site)));
  }
  const char* const advice = arrives ? wait_advice(launch, race.other_site) : kStoreAdvice;
  const char* const unwaited = unwaited_text(launch, race.other_site);
  throw concerning_buffer(ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp, race.thread % 32,
      fmt::format("Race: \x01 {} {}, which {} {}: {}", verb, shared_place(launch, race.offset),
                  copy_text(launch, race.other_site), arrives ? "is still filling" : "may still be reading",
                  arrives ? unwaited : "its group has not been waited for"),
      advice,
      cause_of(!arrives                             ? "store_not_waited"
               : is_bulk(launch, race.other_site) ? "copy_not_waited"
                                                    : "group_not_waited",
               launch, race.offset, race.other_site)));
}

void report_unit_copy_conflict(const CheckedLaunch& launch, const machine::BulkAccess& access,
                            const SharedRace& race) {
  throw concerning_buffer(ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp,
      static_cast<uint32_t>(std::countr_zero(access.mask)),
      fmt::format(
          "Race: \x01 lets an asynchronous unit (TMA or the tensor cores) read {}, which {} is "
          "still filling: {}",
          shared_place(launch, race.offset), copy_text(launch, race.other_site),
          unwaited_text(launch, race.other_site)),
      is_bulk(launch, race.other_site)
          ? "wait for the copy's mbarrier before the MMA; if the copy is for a later iteration, it was started "
            "too early: let the consumers wait for their MMAs (wgmma.wait_group) before they release the buffer"
          : wait_advice(launch, race.other_site),
      cause_of(is_bulk(launch, race.other_site) ? "copy_not_waited" : "group_not_waited", launch, race.offset,
               race.other_site)));
}

void report_early_copy(const CheckedLaunch& launch, uint32_t instruction, const SharedRace& race,
                       AccessKind kind) {
  const bool leaves = race.copy == SharedRace::Copy::leaves;
  if (race.first_write && race.other_site < launch.site_instructions.size()) {
    // The read came too early: report the reader's line, which lacks a wait before it.
    const uint32_t site = launch.sites[instruction];
    throw concerning_buffer(ObservedFault(
        ObservedFault::Kind::race, launch.site_instructions[race.other_site], race.other_thread / 32,
        race.other_thread % 32,
        fmt::format(
            "Race: \x01 reads {} before {}, which {} starts, has filled it, and nothing makes it wait",
            shared_place(launch, race.offset), copy_text(launch, site), thread_text(launch, race.thread)),
        wait_advice(launch, site),
        cause_of(is_bulk(launch, site) ? "copy_not_waited" : "group_not_waited", launch, race.offset, site)));
  }
  const std::string where = site_text(launch, race.other_site);
  const std::string other =
      leaves ? fmt::format("{} may still be reading: its group has not been waited for",
                           copy_text(launch, race.other_site))
             : fmt::format("{} {}{}, and nothing makes the copy wait for that",
                           thread_text(launch, race.other_thread), race.other_writes ? "wrote" : "read",
                           where.empty() ? "" : " at " + where);
  throw concerning_buffer(ObservedFault(
      ObservedFault::Kind::race, instruction, race.thread / 32, race.thread % 32,
      fmt::format("Race: \x01 starts a copy {} {}, which {}", kind == AccessKind::load ? "of" : "into",
                  shared_place(launch, race.offset), other),
      kind == AccessKind::load ? "let the threads that fill the tile execute fence.proxy.async "
                                 "(cuda::ptx::fence_proxy_async) after their "
                                 "last write, then put a __syncthreads(), then let one thread start the copy"
      : leaves
          ? kStoreAdvice
          : "a copy may write from the moment it is started: put the barrier that ends the use of the buffer "
            "(__syncthreads(), or a wait for the mbarrier by which its readers release it) before the copy, "
            "not only before the wait for it",
      cause_of(kind == AccessKind::load ? "proxy_fence"
               : leaves                 ? "store_not_waited"
                                        : "copy_too_early",
               launch, race.offset, race.other_site)));
}

void report_copy_at_exit(const CheckedLaunch& launch, const machine::BulkAccess& access) {
  const bool leaves = access.kind == AccessKind::load;
  throw concerning_buffer(ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp,
      static_cast<uint32_t>(std::countr_zero(access.mask)),
      fmt::format("Race: \x01 starts a copy {} {}, and {} exits before anything has waited for it: another block "
                  "may get the shared memory while the copy still {} it",
                  leaves ? "of" : "into", shared_place(launch, access.runs.front().begin),
                  access.owner == access.block ? "its block" : block_text(launch, access.owner),
                  leaves ? "reads" : "fills"),
      leaves ? "let the thread that started the copy wait for it before it returns "
               "(cp.async.bulk.wait_group.read 0)"
             : "start no copy that nothing uses, or wait for its mbarrier before the block's threads return",
      cause_of("copy_at_exit", launch, access.runs.front().begin, launch.sites[access.instruction])));
}

void report_copy_clash(const CheckedLaunch& launch, uint64_t block, uint32_t instruction, uint32_t warp,
                       const machine::CopyClash& clash) {
  const uint32_t other = launch.sites[clash.instruction];
  const std::string who = thread_text(launch, clash.warp * 32 + clash.lane) +
                          (clash.block == block ? "" : " of " + block_text(launch, clash.block));
  throw concerning_buffer(ObservedFault(
      ObservedFault::Kind::race, instruction, warp, clash.lane_now,
      fmt::format("Race: \x01 starts a copy into {}, which {}, started by {}, is still filling with other "
                  "bytes, and no wait came between the two",
                  shared_place(launch, clash.offset), copy_text(launch, other), who),
      is_bulk(launch, other)
          ? "two copies in flight are unordered: give each its own place (is the stage's index "
            "right?), let one thread start each copy, and wait for the first one's mbarrier "
            "before its place is filled anew"
          : "two copies in flight are unordered: give each its own place (is the stage's index "
            "right?), and wait for the first (cp.async.wait_group, __pipeline_wait_prior) before "
            "its place is filled anew",
      cause_of("two_copies", launch, clash.offset, other)));
}

void report_landed_clash(const CheckedLaunch& launch, uint32_t instruction, uint32_t warp,
                         const machine::CopyClash& clash, uint32_t landed_site) {
  throw concerning_buffer(ObservedFault(
      ObservedFault::Kind::race, instruction, warp, clash.lane_now,
      fmt::format(
          "Race: \x01 starts a copy into {}, where {} brings other bytes, and has not waited for that "
          "one: either may be the last",
          shared_place(launch, clash.offset), copy_text(launch, landed_site)),
      "two copies are unordered unless the second is started after a wait for the first one's "
      "mbarrier: let the thread wait for it, or for threads that have (the mbarrier by which "
      "they release the buffer, or a __syncthreads())",
      cause_of("copy_over_landed", launch, clash.offset, landed_site)));
}

namespace {

machine::FaultCause product_cause(const CheckedLaunch& launch, uint64_t offset, const ProductRead& read,
                                  bool was_filled) {
  machine::FaultCause cause = cause_of(read.is_under_way() ? "product_not_waited" : "product_not_released",
                                       launch, offset, read.site);
  cause.values.emplace_back("warpgroup", std::to_string(read.warpgroup));
  cause.values.emplace_back("was_filled", was_filled ? "1" : "0");
  return cause;
}

}  // namespace

void report_overwritten_product(const CheckedLaunch& launch, uint32_t instruction, uint32_t warp,
                                uint32_t lane, uint64_t offset, const ProductRead& read, bool was_filled) {
  const OpKind kind = launch.program->ops[instruction].kind;
  const bool copies = kind == OpKind::bulk_copy || kind == OpKind::async_copy;
  const std::string where = site_text(launch, read.site);
  const uint32_t first = read.warpgroup * ProductReads::kGroupWarps * 32;
  throw concerning_buffer(ObservedFault(
      ObservedFault::Kind::race, instruction, warp, lane,
      fmt::format("Race: \x01 {} {}, which the wgmma{} of threads {} to {} {}",
                  copies ? "starts a copy into" : "writes", shared_place(launch, offset),
                  where.empty() ? "" : " at " + where, first, first + ProductReads::kGroupWarps * 32 - 1,
                  read.is_under_way() ? "may still be reading: they have not waited for it"
                                      : "has read, and nothing makes the write wait for that"),
      read.is_under_way()
          ? "let the warps wait for the MMA (wgmma.wait_group) before the buffer is released or written; after "
            "wait_group N the newest N groups may still read: release the buffer of the group before them"
          : "let the warps that execute the MMA release the buffer after wgmma.wait_group (an arrival at an "
            "mbarrier, or a __syncthreads()), and let the thread that writes there wait for that first",
      product_cause(launch, offset, read, was_filled)));
}

}  // namespace ridge::observe
