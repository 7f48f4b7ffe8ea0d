#include "virtual_gpu/observe/check_text.h"

#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/place_names.h"

namespace ridge::observe {
namespace {

using machine::AccessKind;
using machine::MemorySpace;
using machine::ObservedFault;

const char* verb(AccessKind kind) {
  return kind == AccessKind::load ? "reads" : kind == AccessKind::store ? "writes" : "updates";
}

// The kind of mistake behind two conflicting accesses to shared memory, with advice.
struct RaceCause {
  const char* id;
  std::string advice;
};

// What to put where two threads of a block must wait for each other: the block's barrier. That the
// two are of one warp does not show that all threads that share the data are: a tile that a whole
// block uses has its first race between neighbours, too. So __syncwarp() is named behind it, and
// never in a block that merely happens to be one warp.
std::string barrier_between(const CheckedLaunch& launch, const SharedRace& race, const char* where) {
  const std::string advice = fmt::format("put a __syncthreads() {}", where);
  if (launch.threads <= 32 || race.thread / 32 != race.other_thread / 32) return advice;
  return advice +
         "; these two threads are of one warp: a __syncwarp() is enough only if no other warp reads or "
         "writes this data";
}

RaceCause cause_of(const CheckedLaunch& launch, const machine::Access& access, const SharedRace& race) {
  if (race.same_instruction)
    return {"shared_one_instruction",
            "let one thread write the value (if (threadIdx.x == 0)), give each thread its own element, or use "
            "an atomic"};
  if (race.first_write)
    return {"shared_read_too_early",
            barrier_between(launch, race,
                            "between writing the shared array and reading what another thread wrote")};
  if (!race.other_writes)
    return {"shared_written_too_early",
            barrier_between(launch, race,
                            "after the last read, before the array is written again (often: at the end "
                            "of the loop's body)")};
  if (access.kind == AccessKind::load)
    return {"shared_read_too_early",
            barrier_between(launch, race,
                            "between the write and the read (in a loop, also between the last read and "
                            "the next iteration's write)")};
  return {"shared_two_writes",
          "let each thread write elements of its own, or use atomicAdd; if both writes are meant, " +
              barrier_between(launch, race, "between the two")};
}

// The values of every finding on a race in shared memory.
machine::FaultCause shared_cause(const CheckedLaunch& launch, const char* id, uint64_t offset,
                                 const std::string& place, uint32_t thread, uint32_t other_thread) {
  machine::FaultCause cause{id,
                            {{"place", place},
                             {"thread", thread_text(launch, thread)},
                             {"other_thread", thread_text(launch, other_thread)}}};
  machine::add_shared_place(cause, *launch.program, offset, place);
  return cause;
}

}  // namespace

std::string site_text(const CheckedLaunch& launch, uint32_t site) {
  if (site >= launch.site_instructions.size()) return {};
  return machine::place_text(machine::sources(*launch.program)[launch.site_instructions[site]]);
}

std::string thread_text(const CheckedLaunch& launch, uint32_t thread) {
  return "thread " + machine::dim_text(machine::thread_index(launch.config.block, thread));
}

std::string block_text(const CheckedLaunch& launch, uint64_t block) {
  const machine::Dim3& grid = launch.config.grid;
  return "block " + machine::dim_text({static_cast<uint32_t>(block % grid.x),
                                       static_cast<uint32_t>(block / grid.x % grid.y),
                                       static_cast<uint32_t>(block / grid.x / grid.y)});
}

void report_shared_race(const CheckedLaunch& launch, const machine::Access& access, const SharedRace& race) {
  const std::string place = machine::name_place(*launch.program, launch.config, launch.memory,
                                                MemorySpace::shared, race.offset, std::min(4u, access.bytes));
  if (race.copy != SharedRace::Copy::none) report_copy_conflict(launch, access, race);
  const std::string where = site_text(launch, race.other_site);
  const RaceCause cause = cause_of(launch, access, race);
  if (race.first_write && race.other_site < launch.site_instructions.size()) {
    // The read came too early: report the reader's line, which lacks a barrier before it.
    throw ObservedFault(
        ObservedFault::Kind::race, launch.site_instructions[race.other_site], race.other_thread / 32,
        race.other_thread % 32,
        fmt::format(
            "Race: \x01 reads {} before {} writes it at {}, and nothing makes one of them wait for the other",
            place, thread_text(launch, race.thread), site_text(launch, launch.sites[access.instruction])),
        cause.advice, shared_cause(launch, cause.id, race.offset, place, race.other_thread, race.thread));
  }
  const std::string what =
      race.same_instruction
          ? fmt::format("Race: \x01 writes {}, and with the same instruction {} writes another value there",
                        place, thread_text(launch, race.other_thread))
          : fmt::format("Race: \x01 {} {}, which {} {}{}, and nothing makes one of them wait for the other",
                        verb(access.kind), place, thread_text(launch, race.other_thread),
                        race.other_writes ? "wrote" : "read", where.empty() ? "" : " at " + where);
  throw ObservedFault(ObservedFault::Kind::race, access.instruction, race.thread / 32, race.thread % 32, what,
                      cause.advice, shared_cause(launch, cause.id, race.offset, place, race.thread, race.other_thread));
}

machine::ObservedFault global_race_fault(const CheckedLaunch& launch, const GlobalRace& race) {
  const machine::Dim3& grid = launch.config.grid;
  const auto block_text = [&](uint64_t block) {
    return machine::dim_text({static_cast<uint32_t>(block % grid.x),
                              static_cast<uint32_t>(block / grid.x % grid.y),
                              static_cast<uint32_t>(block / grid.x / grid.y)});
  };
  const std::string place = machine::name_place(*launch.program, launch.config, launch.memory,
                                                MemorySpace::global, race.address, 4);
  const bool same_block = race.high_block == race.low_block;
  const std::string where = site_text(launch, race.low.site());
  const std::string what = fmt::format(
      "Race: \x01 {} {}, which {} of {} {}{} in the same launch, and nothing makes one of them wait for the "
      "other",
      !race.high_writes    ? "reads"
      : race.high.strong() ? "updates"
                           : "writes",
      place, thread_text(launch, race.low.thread()),
      same_block ? "the same block" : "block " + block_text(race.low_block),
      race.low_writes ? "writes" : "reads", where.empty() ? "" : " at " + where);
  // Threads that add to one element read and write it on one line; so do some in-place stencils.
  const bool may_add =
      race.high_writes != race.low_writes && !where.empty() && where == site_text(launch, race.high.site());
  const char* const flag =
      !same_block && !launch.has_fences && launch.updates_global
          ? "; where a flag says that the data is there, put a __threadfence() between the data and the flag"
          : "";
  const auto [id, action] = [&]() -> std::pair<const char*, const char*> {
    if (same_block)
      return {"global_one_block",
              "put a __syncthreads() between the two, or let each thread use elements of its own"};
    if (may_add)
      return {"blocks_update",
              "use atomicAdd where threads add to one element; else make sure that only one block reaches each element "
              "(check the index, the step of the loop and the grid), or read from one array and write to "
              "another"};
    if (race.high_writes && race.low_writes)
      return {"blocks_write",
              "let every element be written by one block only (check the index, the step of the loop and the "
              "grid), or use atomicAdd where several blocks add to it"};
    if (launch.has_fences)
      return {"flag_order",
              "publish in this order: write the data, __syncthreads(), __threadfence(), set the flag with an "
              "atomic; and read the data only after the flag was read with an atomic or as volatile"};
    return {"blocks_read",
            "blocks run in any order: read from one array and write to another, or make two launches of it"};
  }();
  const std::string advice = std::string(same_block && may_add ? "use atomicAdd where threads add to one element; "
                                                                 "else "
                                                               : "") +
                             action + flag;
  machine::FaultCause cause{id,
                            {{"place", place},
                             {"thread", thread_text(launch, race.high.thread())},
                             {"block", block_text(race.high_block)},
                             {"other_thread", thread_text(launch, race.low.thread())},
                             {"other_block", block_text(race.low_block)},
                             {"blocks", std::to_string(uint64_t{grid.x} * grid.y * grid.z)},
                             {"threads", std::to_string(launch.threads)}}};
  if (const auto array = launch.memory.find(race.address)) {
    cause.values.emplace_back("index", std::to_string((race.address - array->begin) / 4));
    if (const int parameter = machine::parameter_pointing_into(*launch.program, launch.config, array->begin,
                                                               array->bytes);
        parameter >= 0)
      cause.values.emplace_back("parameter", std::to_string(parameter + 1));
  }
  const uint32_t site = race.high.site();
  return ObservedFault(ObservedFault::Kind::race,
                       site < launch.site_instructions.size() ? launch.site_instructions[site] : 0,
                       race.high.thread() / 32, race.high.thread() % 32, what, advice, std::move(cause));
}

void report_undefined_update(const CheckedLaunch& launch, const machine::Access& access,
                             const UndefinedLanes& undefined) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(undefined.lanes));
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  const bool shared = access.space == machine::AccessSpace::shared;
  const std::string place =
      machine::name_place(*launch.program, launch.config, launch.memory,
                          shared ? MemorySpace::shared : MemorySpace::global, addresses[lane], access.bytes);
  machine::FaultCause cause{"atomic_on_unwritten", {{"place", place}}};
  if (shared) machine::add_shared_place(cause, *launch.program, addresses[lane], place);
  throw ObservedFault(
      ObservedFault::Kind::uninitialised, access.instruction, access.warp, lane,
      fmt::format("Uninitialised: \x01 updates {} with an atomic, and nobody has written its first value",
                  place),
      shared ? "let the threads of the block set the shared array to its first value, with a __syncthreads() "
               "before the first atomic"
             : "set the array to its first value before the launch (cudaMemset): cudaMalloc does not clear "
               "memory",
      std::move(cause));
}

void report_missing_proxy_fence(const CheckedLaunch& launch, const machine::BulkAccess& access, Cell writer,
                                uint64_t offset) {
  const std::string place =
      machine::name_place(*launch.program, launch.config, launch.memory, MemorySpace::shared, offset, 4);
  const std::string where = site_text(launch, writer.site());
  machine::FaultCause cause{"proxy_fence", {{"place", place}}};
  machine::add_shared_place(cause, *launch.program, offset, place);
  throw ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp,
      static_cast<uint32_t>(std::countr_zero(access.mask)),
      fmt::format(
          "Race: \x01 lets an asynchronous unit (TMA or the tensor cores) read {}, which {} "
          "wrote{}, without fence.proxy.async between the two",
          place, thread_text(launch, writer.thread()), where.empty() ? "" : " at " + where),
      "after the writes, execute fence.proxy.async (cuda::ptx::fence_proxy_async, "
      "cutlass::arch::fence_view_async_shared), then a barrier, then start the copy or the multiplication",
      std::move(cause));
}

}  // namespace ridge::observe
