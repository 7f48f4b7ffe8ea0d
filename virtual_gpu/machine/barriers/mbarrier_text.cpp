// Describes where an mbarrier is and what it waits for.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/barriers/mbarriers.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/place_names.h"
#include "virtual_gpu/machine/matrix/warpgroup_queue.h"

namespace ridge::machine {

// The object at a lane's address, which must be in shared memory, within bounds and aligned.
MbarrierPlace Mbarriers::mbarrier_place(const MemoryOp& op, const Addresses& addresses, int lane,
                                        AccessKind kind) const {
  uint64_t address = addresses.of(lane);
  if (op.space == MemorySpace::generic) {
    const uint64_t window = address_windows().shared;
    if (address < window || address >= window + kSharedWindowBytes) {
      context_.fault(
          Fault::Kind::barrier, context_.culprit(lane),
          fmt::format(
              "Mbarrier: \x01 uses an mbarrier at address {:#x}, which is not in shared memory",
              address),
          "an mbarrier (cuda::barrier of block scope) works in __shared__ memory only",
          {"mbarrier_not_shared", {}});
    }
    address -= window;
  }
  Block& owner = spaces_.owner_of(address, kind, lane);
  const uint64_t offset = address & kSharedOffsetMask;
  BadAccess bad{kind, AccessSpace::shared, offset, 8, context_.launch.shared_bytes, {}};
  if (&owner != context_.block) bad.peer_rank = owner.rank;
  if (offset + 8 > context_.launch.shared_bytes) {
    const FaultText text = out_of_bounds_text(bad);
    context_.fault(Fault::Kind::out_of_bounds, context_.culprit(lane), text.what, text.advice,
                   text.cause);
  }
  if (offset % 8 != 0) {
    const FaultText text = misaligned_text(bad);
    context_.fault(Fault::Kind::misaligned, context_.culprit(lane), text.what,
                   "align the mbarrier object to 8 bytes");
  }
  return {&owner, static_cast<uint32_t>(offset)};
}

namespace {

// "the mbarrier `full[1]`"; dynamic shared memory has no names.
std::string object_text(const Program& program, uint32_t offset) {
  const SharedArray* const array = shared_array_at(program, offset);
  if (array == nullptr || array->bytes == 0) return fmt::format("the mbarrier at offset {}", offset);
  const uint32_t index = (offset - array->offset) / 8;
  return array->bytes == 8 ? fmt::format("the mbarrier `{}`", array->name)
                           : fmt::format("the mbarrier `{}[{}]`", array->name, index);
}

// "gemm.cu:93": the line that called the instruction's function.
std::string calling_line(const InstructionSource& source) {
  if (!source.called_from.empty()) return source.called_from;
  return fmt::format("{}:{}", source.file.substr(source.file.rfind('/') + 1), source.line);
}

}  // namespace

std::string Mbarriers::mbarrier_text(MbarrierPlace place) const {
  return object_text(context_.program, place.offset) +
         (place.block == context_.block
              ? std::string()
              : fmt::format(" of block {}'s shared memory", dim_text(place.block->index)));
}

FaultCause Mbarriers::cause(std::string id, MbarrierPlace place) const {
  FaultCause cause{std::move(id), {}};
  add_names(place, cause);
  return cause;
}

// Dynamic shared memory has no names, but the line that initialises an mbarrier has. When a loop is
// unrolled, the compiler has the right line only for the first element of an array; the others
// follow it in memory.
void Mbarriers::add_names(MbarrierPlace place, FaultCause& cause) const {
  cause.values.emplace_back("mbarrier", object_text(context_.program, place.offset));
  const auto& phases = place.block->mbarrier_phases;
  const auto is_object = [&](uint32_t offset) {
    return std::any_of(phases.begin(), phases.end(),
                       [&](const MbarrierPhase& phase) { return phase.offset == offset && phase.init_pc != 0; });
  };
  std::vector<std::string> lines;
  const MbarrierPhase* first = nullptr;
  std::string first_line;
  for (const MbarrierPhase& phase : phases) {  // in the order of initialisation
    if (phase.init_pc == 0) continue;
    std::string line = calling_line(context_.program.sources[phase.init_pc]);
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) continue;
    if (phase.offset <= place.offset && (first == nullptr || phase.offset > first->offset)) {
      first = &phase;
      first_line = line;
    }
    lines.push_back(std::move(line));
  }
  if (first == nullptr) return;
  for (uint32_t offset = first->offset; offset < place.offset; offset += 8)
    if (!is_object(offset)) return;
  cause.values.emplace_back("mbarrier_init", first_line);
  cause.values.emplace_back("mbarrier_index", std::to_string((place.offset - first->offset) / 8));
}

void Mbarriers::note_passed(MbarrierPlace place, const Mbarrier& object, uint32_t lanes, bool parity) {
  Warp& warp = *context_.warp;
  const uint64_t serial = ++warp.waits_passed;
  // Other progress of the warp: barriers of the block, and MMAs.
  const uint64_t steps = context_.block->barriers[0].phase + (warp.warpgroup ? warp.warpgroup->issued : 0);
  MbarrierPhase& own = mbarrier_phase(place);
  own.waited = std::max(own.waited, own.phase);
  const uint64_t phase = mbarrier_phase(place).phase - 1;
  for (PassedWait& known : warp.passed_waits) {
    if (known.offset != place.offset || known.rank != place.block->rank) continue;
    if (known.phase != phase) {
      known.phase = phase;
      known.lanes = lanes;
      known.serial = serial;
      known.steps = steps;
      return;
    }
    const uint32_t again = known.lanes & lanes;
    const bool has_gone_on = object.pending != object.expected || object.bytes > 0 ||
                             serial > known.serial + 1 || steps != known.steps;
    known.lanes |= lanes;
    known.serial = serial;
    known.steps = steps;
    if (again == 0 || !has_gone_on || warp.repeated_wait) return;
    warp.repeated_wait = {context_.pc, static_cast<uint32_t>(std::countr_zero(again)), place.block->rank,
                          place.offset, parity};
    return;
  }
  warp.passed_waits.push_back({place.block->rank, place.offset, phase, lanes, serial, steps});
}

std::string Mbarriers::overrun_text(const Block& block, FaultCause& cause) const {
  for (const auto& other : block.cluster->blocks)
    for (const MbarrierPhase& phase : other->mbarrier_phases) {
      if (!phase.overrun) continue;
      const MbarrierPlace place{other.get(), phase.offset};
      uint64_t bits = 0;
      std::memcpy(&bits, other->shared.get() + phase.offset, sizeof bits);
      const uint32_t expected = Mbarrier::from_bits(bits).expected;
      cause = {"mbarrier_overrun", {{"expected", std::to_string(expected)}}};
      add_names(place, cause);
      return fmt::format(
          ". Before that, {} completed two phases that no thread had waited for: init gave it {} arrival{} "
          "per phase, and more came",
          object_text(context_.program, phase.offset), expected, expected == 1 ? "" : "s");
    }
  return {};
}

std::string Mbarriers::late_bytes_text(const Block& block, FaultCause& cause) const {
  const auto text = [&](MbarrierPlace place, uint32_t bytes, int64_t announced) {
    cause = {"announced_too_few",
             {{"bytes", std::to_string(bytes)}, {"announced", std::to_string(announced)}}};
    add_names(place, cause);
    return fmt::format(
        ". Before that, a phase of {} completed while a copy of {} bytes that was started for it had not landed: the "
        "phase had been told to wait for {} bytes",
        object_text(context_.program, place.offset), bytes, announced);
  };
  for (const auto& other : block.cluster->blocks) {
    for (const MbarrierPhase& phase : other->mbarrier_phases)
      if (phase.late_bytes != 0)
        return text({other.get(), phase.offset}, phase.late_bytes, phase.announced_for_late);
    for (const BulkCopy& copy : other->bulk.arriving)
      for (const MbarrierPhase& phase : other->mbarrier_phases)
        if (phase.offset == copy.mbarrier && phase.phase != copy.phase)
          return text({other.get(), phase.offset}, copy.bytes, phase.announced_before);
  }
  return {};
}

std::string Mbarriers::first_phases_text(const Block& block, FaultCause& cause) const {
  struct Waiting {
    MbarrierWait wait;
    uint32_t threads = 0;
  };
  std::vector<Waiting> all;
  for (const auto& other : block.cluster->blocks)
    for (const Warp& warp : other->warps)
      for (uint32_t rest = warp.mbarrier_waiting; rest != 0; rest &= rest - 1) {
        const MbarrierWait& wait = warp.mbarrier_waits[static_cast<size_t>(std::countr_zero(rest))];
        Block& owner = *block.cluster->blocks[wait.rank];
        const MbarrierPhase& phase = mbarrier_phase({&owner, wait.offset});
        uint64_t bits = 0;
        std::memcpy(&bits, owner.shared.get() + wait.offset, sizeof bits);
        const Mbarrier object = Mbarrier::from_bits(bits);
        if (!Mbarrier::is_live(bits) || phase.phase != phase.first || object.pending != object.expected ||
            object.bytes != 0)
          return {};
        const auto known = std::find_if(all.begin(), all.end(), [&](const Waiting& one) {
          return one.wait.rank == wait.rank && one.wait.offset == wait.offset;
        });
        if (known != all.end())
          ++known->threads;
        else
          all.push_back({wait, 1});
      }
  if (all.size() < 2) return {};
  // A producer is fewer threads than those that use what it brings.
  const Waiting& producer = *std::min_element(
      all.begin(), all.end(), [](const Waiting& a, const Waiting& b) { return a.threads < b.threads; });
  const MbarrierPlace place{block.cluster->blocks[producer.wait.rank].get(), producer.wait.offset};
  cause = {"first_phases",
           {{"parity", producer.wait.phase_parity ? "1" : "0"},
            {"wait", calling_line(context_.program.sources[producer.wait.instruction])}}};
  add_names(place, cause);
  return fmt::format(
      ". The wait at {} is for the first phase of {}, at which nothing has arrived yet, and all other threads "
      "that wait do so for the first phase of another mbarrier",
      calling_line(context_.program.sources[producer.wait.instruction]),
      object_text(context_.program, place.offset));
}

std::string Mbarriers::repeated_wait_text(const Block& block, FaultCause& cause) const {
  for (const auto& other : block.cluster->blocks)
    for (const Warp& warp : other->warps) {
      if (!warp.repeated_wait) continue;
      const RepeatedWait& wait = *warp.repeated_wait;
      const MbarrierPlace place{block.cluster->blocks[wait.rank].get(), wait.offset};
      const Dim3 thread =
          thread_index(context_.launch.config.block, warp.index * kLanes + wait.lane);
      add_names(place, cause);
      cause.values.emplace_back("parity", wait.parity ? "1" : "0");
      cause.values.emplace_back("wait", calling_line(context_.program.sources[wait.instruction]));
      cause.values.emplace_back("waiting", dim_text(thread));
      return fmt::format(
          ". Before that, thread {} waited at {} for {} with parity {} for the second time in a row: the "
          "phase of that parity was already over, so the wait passed at once",
          dim_text(thread), calling_line(context_.program.sources[wait.instruction]),
          object_text(context_.program, wait.offset), wait.parity ? 1 : 0);
    }
  return {};
}

uint64_t Mbarriers::phase_number(MbarrierPlace place) const {
  const MbarrierPhase& phase = mbarrier_phase(place);
  return phase.phase - phase.first;
}

// ", for phase 3 of the mbarrier at offset 64, which still waits for 1 of its 2 arrivals and 4096 bytes"
std::string Mbarriers::waited_text(const Block& block, const Warp& warp, const Split& split) const {
  const uint32_t waiting = split.mask & warp.mbarrier_waiting;
  if (split.wait != Wait::none || waiting == 0) return {};
  const MbarrierWait& wait = warp.mbarrier_waits[static_cast<size_t>(std::countr_zero(waiting))];
  const Block& owner = *block.cluster->blocks[wait.rank];
  std::string whose =
      &owner == &block ? "" : fmt::format(" of block {}'s shared memory", dim_text(owner.index));
  uint64_t bits = 0, phase = 0;
  std::memcpy(&bits, owner.shared.get() + wait.offset, sizeof bits);
  for (const MbarrierPhase& known : owner.mbarrier_phases) {
    if (known.offset == wait.offset) phase = known.phase - known.first;
  }
  const std::string object_name = object_text(context_.program, wait.offset) + whose;
  if (!Mbarrier::is_live(bits)) return ", for " + object_name + ", which is no mbarrier any more";
  const Mbarrier object = Mbarrier::from_bits(bits);
  if (object.parity != wait.phase_parity)
    return fmt::format(", for phase {} of {}, which has completed meanwhile", phase - 1,
                       object_name);
  std::string text =
      fmt::format(", for phase {} (parity {}) of {}, which still needs {} of its {} arrivals",
                  phase, object.parity ? 1 : 0, object_name, object.pending, object.expected);
  if (object.bytes > 0) text += fmt::format(" and {} bytes", object.bytes);
  if (object.bytes < 0)
    text += fmt::format("; {} bytes more landed than were expected", -object.bytes);
  return text;
}

}  // namespace ridge::machine
