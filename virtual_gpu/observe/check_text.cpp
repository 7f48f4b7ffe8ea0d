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

std::string advice_for(const CheckedLaunch& launch, const machine::Access& access, const SharedRace& race) {
  const bool writes = access.kind != AccessKind::load;
  if (race.same_instruction)
    return "let one thread write the value (if (threadIdx.x == 0)), give each thread its own element, or use "
           "an atomic";
  if (launch.threads <= 32) {
    return "threads of a warp do not run in lockstep: put __syncwarp() between the two (or exchange the "
           "value with "
           "__shfl_sync)";
  }
  if (!race.other_writes)
    return "put a __syncthreads() after the last read, before the array is written again (often: at the end "
           "of the "
           "loop's body)";
  if (!writes)
    return "put a __syncthreads() between the write and the read; in a loop, also between the last read and "
           "the next "
           "turn's write (between threads of one warp __syncwarp() is enough)";
  return "let each thread write elements of its own, use atomicAdd, or put a __syncthreads() between the two "
         "writes";
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
  if (race.first_write && race.other_site < launch.site_instructions.size()) {
    // The reader came too early: it is the reader's line that needs the barrier before it.
    throw ObservedFault(
        ObservedFault::Kind::race, launch.site_instructions[race.other_site], race.other_thread / 32,
        race.other_thread % 32,
        fmt::format(
            "Race: \x01 reads {} before {} writes it at {}, and nothing makes one of them wait for the other",
            place, thread_text(launch, race.thread), site_text(launch, launch.sites[access.instruction])),
        launch.threads <= 32
            ? "put __syncwarp() between writing and reading (or exchange the value with __shfl_sync)"
            : "put a __syncthreads() between writing the shared array and reading what another thread wrote");
  }
  const std::string what =
      race.same_instruction
          ? fmt::format("Race: \x01 writes {}, and with the same instruction {} writes another value there",
                        place, thread_text(launch, race.other_thread))
          : fmt::format("Race: \x01 {} {}, which {} {}{}, and nothing makes one of them wait for the other",
                        verb(access.kind), place, thread_text(launch, race.other_thread),
                        race.other_writes ? "wrote" : "read", where.empty() ? "" : " at " + where);
  throw ObservedFault(ObservedFault::Kind::race, access.instruction, race.thread / 32, race.thread % 32, what,
                      advice_for(launch, access, race));
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
  // Threads that count into one element read and write it on one line; so do some stencils in place.
  const bool may_add =
      race.high_writes != race.low_writes && !where.empty() && where == site_text(launch, race.high.site());
  const std::string advice =
      std::string(may_add ? "use atomicAdd where threads add to one element; else " : "") +
      (same_block ? "put a __syncthreads() between the two, or let each thread use elements of its own"
       : race.high_writes && race.low_writes
           ? "let every element be written by one block only (check the index and the grid), or use atomicAdd"
       : launch.has_fences
           ? "publish in this order: write the data, __syncthreads(), __threadfence(), set the flag with an "
             "atomic; and "
             "read the data only after the flag was read with an atomic or as volatile"
           : "blocks run in any order: read from one array and write to another, or make two launches of "
             "it") +
      (!same_block && !launch.has_fences && launch.updates_global
           ? "; where a flag says that the data is there, put a __threadfence() between the data and the flag"
           : "");
  const uint32_t site = race.high.site();
  return ObservedFault(ObservedFault::Kind::race,
                       site < launch.site_instructions.size() ? launch.site_instructions[site] : 0,
                       race.high.thread() / 32, race.high.thread() % 32, what, advice);
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
  throw ObservedFault(
      ObservedFault::Kind::uninitialised, access.instruction, access.warp, lane,
      fmt::format("Uninitialised: \x01 updates {} with an atomic, and nobody has written its first value",
                  place),
      shared ? "let the threads of the block set the shared array to its first value, with a __syncthreads() "
               "before the "
               "first atomic"
             : "set the array to its first value before the launch (cudaMemset): cudaMalloc does not clear "
               "memory");
}

void report_missing_proxy_fence(const CheckedLaunch& launch, const machine::BulkAccess& access, Cell writer,
                                uint64_t offset) {
  const std::string place =
      machine::name_place(*launch.program, launch.config, launch.memory, MemorySpace::shared, offset, 4);
  const std::string where = site_text(launch, writer.site());
  throw ObservedFault(
      ObservedFault::Kind::race, access.instruction, access.warp,
      static_cast<uint32_t>(std::countr_zero(access.mask)),
      fmt::format(
          "Race: \x01 lets a unit beside the threads (TMA or the tensor cores) read {}, which {} wrote{}, "
          "without fence.proxy.async between the two",
          place, thread_text(launch, writer.thread()), where.empty() ? "" : " at " + where),
      "after the writes, execute fence.proxy.async (cuda::ptx::fence_proxy_async, "
      "cutlass::arch::fence_view_async_shared), then a barrier, then start the copy or the multiplication");
}

}  // namespace ridge::observe
