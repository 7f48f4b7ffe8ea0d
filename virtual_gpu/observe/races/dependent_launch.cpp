#include "virtual_gpu/observe/races/dependent_launch.h"

#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/place_names.h"
#include "virtual_gpu/machine/program/program.h"

namespace ridge::observe {
namespace {

// A chain of launches that all begin early would keep the footprints of all of them; those beyond
// this number have ended long ago.
constexpr size_t kMostRunning = 4;

bool writes(machine::AccessKind kind) {
  return kind != machine::AccessKind::load;
}

class Recorder final : public machine::Observer {
 public:
  Recorder(const DependentLaunch::Options& options, const machine::Program& program,
           const machine::LaunchConfig& config, const machine::DeviceMemory& memory)
      : options_(options), program_(program), config_(config), memory_(memory) {}

  void block_end(uint64_t block) override { blocks_.erase(block); }

  void grid_dependency(uint64_t block, uint32_t warp, uint32_t mask, bool waits) override {
    Block& own = blocks_[block];
    if (!waits) {
      own.triggered = true;
      return;
    }
    waits_first |= !own.triggered;
    waited_at(own, warp) |= mask;
  }

  void access(const machine::Access& access) override {
    if (access.space != machine::AccessSpace::global) return;
    uint32_t early = 0;  // lanes that have not waited
    if (options_.is_early) early = access.mask & ~waited_at(blocks_[access.block], access.warp);
    if (early == 0 && !options_.is_followed) return;
    uint64_t addresses[32];
    machine::fill_addresses(access, addresses);
    for (uint32_t lanes = access.mask; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
      if ((early >> lane & 1) != 0) {
        check(access.instruction, access.kind, access.warp, lane, addresses[lane], access.bytes);
        if (!writes(access.kind)) early_load_bytes += access.bytes;
      }
      if (options_.is_followed)
        note(access.instruction, access.kind, addresses[lane], access.bytes);
    }
  }

  void bulk_access(const machine::BulkAccess& access) override {
    if (access.space != machine::AccessSpace::global) return;
    const uint32_t lane =
        access.mask == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(access.mask));
    const bool early =
        options_.is_early && (waited_at(blocks_[access.block], access.warp) >> lane & 1) == 0;
    for (const machine::BulkAccess::Run& run : access.runs) {
      if (early) check(access.instruction, access.kind, access.warp, lane, run.begin, run.bytes);
      if (early && !writes(access.kind)) early_load_bytes += run.bytes;
      if (options_.is_followed) note(access.instruction, access.kind, run.begin, run.bytes);
    }
  }

  LaunchFootprint touched;
  bool waits_first = false;
  uint64_t early_load_bytes = 0;

 private:
  struct Block {
    std::vector<uint32_t> waited;  // per warp, one bit per lane
    bool triggered = false;
  };

  static uint32_t& waited_at(Block& block, uint32_t warp) {
    if (warp >= block.waited.size()) block.waited.resize(warp + 1);
    return block.waited[warp];
  }

  void note(uint32_t instruction, machine::AccessKind kind, uint64_t begin, uint64_t bytes) {
    if (kind != machine::AccessKind::store) touched.add(begin, bytes, false, instruction);
    if (writes(kind)) touched.add(begin, bytes, true, instruction);
  }

  void check(uint32_t instruction, machine::AccessKind kind, uint32_t warp, uint32_t lane,
             uint64_t begin, uint64_t bytes) const {
    // CUB's merge sort reads its partition in front of the wait. It counts on a launch ahead that
    // never calls the trigger to be visible when its blocks have ended.
    const auto& sources = machine::sources(program_);
    if (instruction < sources.size() && sources[instruction].is_library) return;
    for (const auto& running : options_.running) {
      const auto conflict = running->conflict_with(begin, bytes, writes(kind));
      if (!conflict) continue;
      report(instruction, kind, warp, lane, *running, *conflict);
    }
  }

  [[noreturn]] void report(uint32_t instruction, machine::AccessKind kind, uint32_t warp,
                           uint32_t lane, const LaunchFootprint& other,
                           const LaunchFootprint::Conflict& conflict) const {
    const std::string place = machine::name_place(
        program_, config_, memory_, machine::MemorySpace::global, conflict.address, 4);
    const char* const mine = writes(kind) ? "writes" : "reads";
    const char* const theirs = conflict.writes ? "writes" : "reads";
    const std::string at = conflict.line.empty() ? "" : " at " + conflict.line;
    throw machine::ObservedFault(
        machine::ObservedFault::Kind::race, instruction, warp, lane,
        fmt::format(
            "Race: \x01 {} {} before it has waited for the launch ahead of it in the stream, and {} "
            "{} that{}: this launch may begin before that one has ended (programmatic dependent launch)",
            mine, place, other.kernel, theirs, at),
        "call cudaGridDependencySynchronize() (griddepcontrol.wait) before the first access to what the kernel "
        "ahead writes, and before the first write to what it reads; only what no kernel of the chain writes may "
        "be loaded before it",
        {writes(kind) ? "dependency_overwrite" : "dependency_wait",
         {{"place", place},
          {"other_kernel", other.kernel},
          {"other_line", conflict.line},
          {"theirs", conflict.writes ? "write" : "read"}}});
  }

  const DependentLaunch::Options& options_;
  const machine::Program& program_;
  const machine::LaunchConfig& config_;
  const machine::DeviceMemory& memory_;
  std::unordered_map<uint64_t, Block> blocks_;
};

}  // namespace

Footprints may_be_running_behind(const FinishedLaunch& last) {
  Footprints running;
  if (last.touched) running.push_back(last.touched);
  if (last.triggers_before_wait)
    for (const auto& earlier : last.before)
      if (running.size() < kMostRunning) running.push_back(earlier);
  return running;
}

DependentLaunch::DependentLaunch(Options options, const machine::LaunchConfig& config,
                                 machine::DeviceMemory& memory)
    : options_(std::move(options)), config_(config), memory_(memory) {}

std::unique_ptr<machine::Observer> DependentLaunch::make(const machine::Program& program) {
  program_ = &program;
  return std::make_unique<Recorder>(options_, program, config_, memory_);
}

void DependentLaunch::collect(std::unique_ptr<machine::Observer> observer) {
  const auto& recorder = dynamic_cast<const Recorder&>(*observer);
  touched_.merge(recorder.touched);
  waits_first_ |= recorder.waits_first;
  early_load_bytes_ += recorder.early_load_bytes;
}

std::shared_ptr<const FinishedLaunch> DependentLaunch::finished() {
  auto finished = std::make_shared<FinishedLaunch>();
  if (options_.is_followed) {
    touched_.kernel = options_.kernel;
    std::map<uint32_t, std::string> lines;
    if (program_ != nullptr) {
      const auto& sources = machine::sources(*program_);
      for (const uint32_t instruction : touched_.instructions())
        if (instruction < sources.size())
          lines[instruction] = machine::place_text(sources[instruction]);
    }
    touched_.name_lines(std::move(lines));
    finished->touched = std::make_shared<LaunchFootprint>(std::move(touched_));
  }
  finished->triggers_before_wait = !waits_first_;
  finished->before = options_.running;
  return finished;
}

}  // namespace ridge::observe
