#include "virtual_gpu/observe/launch_counter.h"

#include <bit>
#include <string_view>

#include "virtual_gpu/machine/program.h"
#include "warp_model/access.h"
#include "warp_model/strided_access.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::AccessSpace;

warp_model::GlobalCost global_cost(const Access& access) {
  switch (access.shape) {
    case AccessShape::uniform:
      return warp_model::global_cost_uniform(access.base, access.bytes, access.mask);
    case AccessShape::strided:
      return warp_model::global_cost_strided(access.base, access.stride, access.bytes, access.mask);
    case AccessShape::scattered:
      break;
  }
  return warp_model::global_cost(access.addresses, access.mask, access.bytes);
}

warp_model::SharedCost shared_cost(const Access& access) {
  switch (access.shape) {
    case AccessShape::uniform:
      return warp_model::shared_cost_uniform(access.base, access.bytes, access.mask);
    case AccessShape::strided:
      return warp_model::shared_cost_strided(access.base, access.stride, access.bytes, access.mask);
    case AccessShape::scattered:
      break;
  }
  return warp_model::shared_cost(access.addresses, access.mask, access.bytes);
}

// Local and constant accesses are nearly always uniform; the rest may take its time.
warp_model::GlobalCost local_cost(const Access& access) {
  if (access.shape == AccessShape::uniform)
    return warp_model::local_cost_uniform(access.base, access.bytes, access.mask);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::local_cost(addresses, access.mask, access.bytes);
}

uint32_t constant_passes(const Access& access) {
  if (access.shape == AccessShape::uniform)
    return warp_model::constant_passes_uniform(access.base, access.bytes);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::constant_passes(addresses, access.mask, access.bytes);
}

void add(SpaceCounts& counts, const warp_model::GlobalCost& cost) {
  counts.requests += cost.requests;
  counts.bytes += cost.bytes;
  counts.sectors += cost.sectors;
  counts.ideal_sectors += cost.ideal_sectors;
  counts.tags += cost.tags;
}

// What an instruction's last access cost, and how often it has cost the same since: nearly every access is
// the one before it, moved. `key` is what the cost depends on besides the distances between the lanes.
struct Repeated {
  uint64_t key_mask = 0, key = 0;
  uint64_t times = 0;  // not yet added to the sums
  SpaceCounts cost;
  SpaceCounts* sums = nullptr;

  void settle() {
    if (times != 0) sums->add(cost, times);
    times = 0;
  }
};

// Which bits of the first lane's address matter. Moving all lanes of a shared access by words turns the banks
// round and leaves conflicts as they were; a global line has 128 bytes, and an aligned value that all lanes
// read lies in one sector wherever it is.
uint64_t key_mask_of(const Access& access) {
  if (access.space == AccessSpace::shared) return warp_model::kBankBytes - 1;
  const bool is_one_value = access.shape == AccessShape::uniform && std::has_single_bit(access.bytes) &&
                            access.bytes <= warp_model::kSectorBytes;
  return is_one_value && access.first % access.bytes == 0 ? access.bytes - 1 : warp_model::kLineBytes - 1;
}

class Counter final : public machine::Observer {
 public:
  explicit Counter(size_t instructions) : counts_(instructions), repeated_(instructions) {}
  const LaunchCounts& counts() {
    for (Repeated& repeated : repeated_)
      repeated.settle();
    return counts_;
  }

  void access(const Access& access) override {
    Repeated& repeated = repeated_[access.instruction];
    if (access.repeats && (access.first & repeated.key_mask) == repeated.key && repeated.sums != nullptr) {
      ++repeated.times;
      return;
    }
    if (access.space > AccessSpace::constant || access.mask == 0) return;
    repeated.settle();
    counts_.kinds[access.instruction] = access.kind;
    repeated.sums =
        &counts_.by_space[access.instruction * LaunchCounts::kSpaces + static_cast<uint32_t>(access.space)];
    repeated.key_mask = key_mask_of(access);
    repeated.key = access.first & repeated.key_mask;
    repeated.times = 1;
    repeated.cost = SpaceCounts{};
    count(access, repeated.cost);
  }

  // Runs are counted at their two ends only; report() adds them up along the program.
  void issued(uint32_t first, uint32_t last, uint32_t mask) override {
    ++counts_.executions_change[first];
    --counts_.executions_change[last];
    counts_.warp_instructions += last - first;
    counts_.thread_instructions += uint64_t{last - first} * warp_model::active_lanes(mask);
  }
  void barrier(uint64_t, uint32_t, uint32_t, uint32_t) override { ++counts_.barriers; }
  void diverged(uint32_t, uint32_t, uint32_t) override { ++counts_.divergent_branches; }

 private:
  static void count(const Access& access, SpaceCounts& counts) {
    counts.lanes += warp_model::active_lanes(access.mask);
    switch (access.space) {
      case AccessSpace::global:
        return add(counts, global_cost(access));
      case AccessSpace::local:
        return add(counts, local_cost(access));
      case AccessSpace::shared: {
        const warp_model::SharedCost cost = shared_cost(access);
        counts.requests += cost.requests;
        counts.bytes += cost.bytes;
        counts.wavefronts += cost.wavefronts;
        counts.ideal_wavefronts += cost.ideal_wavefronts;
        return;
      }
      case AccessSpace::constant:
        ++counts.requests;
        counts.bytes += warp_model::active_lanes(access.mask) * access.bytes;
        counts.wavefronts += constant_passes(access);
        counts.ideal_wavefronts += (access.bytes + 3) / 4;
        return;
      case AccessSpace::param:
        return;
    }
  }

  LaunchCounts counts_;
  std::vector<Repeated> repeated_;  // [instruction]
};

constexpr std::string_view kSpaceNames[] = {"global", "shared", "local", "constant"};
constexpr std::string_view kKindNames[] = {"load", "store", "atomic", "reduction"};

}  // namespace

void SpaceCounts::add(const SpaceCounts& other, uint64_t times) {
  requests += other.requests * times;
  lanes += other.lanes * times;
  bytes += other.bytes * times;
  sectors += other.sectors * times;
  ideal_sectors += other.ideal_sectors * times;
  tags += other.tags * times;
  wavefronts += other.wavefronts * times;
  ideal_wavefronts += other.ideal_wavefronts * times;
}

LaunchCounts::LaunchCounts(size_t instructions)
    : by_space(instructions * kSpaces), kinds(instructions), executions_change(instructions + 1) {}

void LaunchCounts::add(const LaunchCounts& other) {
  for (size_t k = 0; k < by_space.size(); ++k)
    by_space[k].add(other.by_space[k]);
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (other.kinds[k] != AccessKind::load)
      kinds[k] = other.kinds[k];  // a thread that never came here says load
    executions_change[k] += other.executions_change[k];
  }
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  barriers += other.barriers;
  divergent_branches += other.divergent_branches;
}

std::unique_ptr<machine::Observer> LaunchCounter::make(const machine::Program& program) {
  if (program_ != &program) {
    program_ = &program;
    total_ = LaunchCounts(machine::sources(program).size());
  }
  return std::make_unique<Counter>(machine::sources(program).size());
}

void LaunchCounter::collect(std::unique_ptr<machine::Observer> observer) {
  total_.add(static_cast<Counter&>(*observer).counts());
}

trace::LaunchReport LaunchCounter::report() const {
  trace::LaunchReport report;
  report.warp_instructions = total_.warp_instructions;
  report.thread_instructions = total_.thread_instructions;
  report.barriers = total_.barriers;
  report.divergent_branches = total_.divergent_branches;
  if (program_ == nullptr) return report;
  const std::vector<machine::InstructionSource>& sources = machine::sources(*program_);
  int64_t executions = 0;
  for (size_t instruction = 0; instruction < sources.size(); ++instruction) {
    executions += total_.executions_change[instruction];
    for (uint32_t space = 0; space < LaunchCounts::kSpaces; ++space) {
      const SpaceCounts& counts = total_.by_space[instruction * LaunchCounts::kSpaces + space];
      if (counts.requests == 0) continue;
      const machine::InstructionSource& source = sources[instruction];
      report.instructions.push_back(
          {source.file, source.line, source.ptx_line, source.text, std::string(kSpaceNames[space]),
           std::string(kKindNames[static_cast<size_t>(total_.kinds[instruction])]),
           static_cast<uint64_t>(executions), counts.lanes, counts.requests, counts.sectors,
           counts.ideal_sectors, counts.tags, counts.wavefronts, counts.ideal_wavefronts, counts.bytes});
    }
  }
  return report;
}

}  // namespace ridge::observe
