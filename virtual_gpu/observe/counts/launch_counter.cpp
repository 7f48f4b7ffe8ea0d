#include "virtual_gpu/observe/counts/launch_counter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/counts/contended_atomics.h"
#include "virtual_gpu/observe/counts/turn_counter.h"
#include "virtual_gpu/observe/counts/work_behind_copies.h"
#include "virtual_gpu/observe/selective_observer.h"
#include "warp_model/access.h"
#include "warp_model/async_copy.h"
#include "warp_model/shared_memory/shared_access.h"
#include "warp_model/strided_access.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::AccessSpace;

warp_model::GlobalCost global_cost(const Access& access) {
  if (access.lands_at != nullptr) {
    uint64_t addresses[32];
    machine::fill_addresses(access, addresses);
    return warp_model::async_copy_cost(addresses, access.lands_at, access.mask, access.bytes);
  }
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

using warp_model::SharedAccess;

warp_model::SharedCost shared_cost(const Access& access, SharedAccess served) {
  if (access.shape == AccessShape::scattered)
    return warp_model::shared_cost_of(served, access.addresses, access.mask, access.bytes);
  const int64_t stride = access.shape == AccessShape::uniform ? 0 : access.stride;
  if (served == SharedAccess::load)
    return warp_model::shared_load_cost_strided(access.base, stride, access.bytes, access.mask);
  if (served == SharedAccess::store || served == SharedAccess::atomic_increment)
    return warp_model::shared_cost_strided(access.base, stride, access.bytes, access.mask);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::shared_cost_of(served, addresses, access.mask, access.bytes);
}

// The cost of the SASS instruction that ptxas made of it.
warp_model::SharedCost sass_cost(const Access& access, SharedAccess served, const SharedForm& form) {
  Access made = access;
  if (form.uses_one_lane && access.shape == AccessShape::uniform) made.mask = access.mask & (0 - access.mask);
  made.bytes = form.bytes;
  made.base += static_cast<uint64_t>(int64_t{form.shift});
  uint64_t addresses[32];
  if (access.shape == AccessShape::scattered && form.shift != 0) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      addresses[lane] = access.addresses[lane] + static_cast<uint64_t>(int64_t{form.shift});
    made.addresses = addresses;
  }
  return shared_cost(made, served);
}

// Local and constant accesses are nearly always uniform; the others may be slow.
warp_model::GlobalCost local_cost(const Access& access) {
  if (access.shape == AccessShape::uniform)
    return warp_model::local_cost_uniform(access.base, access.bytes, access.mask);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::local_cost(addresses, access.mask, access.bytes);
}

uint32_t constant_wavefronts(const Access& access) {
  if (access.shape == AccessShape::uniform)
    return warp_model::constant_wavefronts_uniform(access.base, access.bytes);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::constant_wavefronts(addresses, access.mask, access.bytes);
}

void add(SpaceCounts& counts, const warp_model::GlobalCost& cost) {
  counts.requests += cost.requests;
  counts.bytes += cost.bytes;
  counts.sectors += cost.sectors;
  counts.ideal_sectors += cost.ideal_sectors;
  counts.tags += cost.tags;
}

void add_contention(SpaceCounts& counts, const ContentionCost& cost) {
  counts.attempts += cost.attempts;
  counts.failed_attempts += cost.failed_attempts;
  counts.loop_load_wavefronts += cost.load_wavefronts;
  counts.sass_wavefronts += cost.load_wavefronts + cost.swap_wavefronts;
}

void add_runs(const machine::BulkAccess& bulk, SpaceCounts& counts) {
  ++counts.requests;
  ++counts.lanes;
  uint64_t bytes = 0;
  for (const machine::BulkAccess::Run& run : bulk.runs) {
    if (run.bytes == 0) continue;
    const uint64_t end = run.begin + run.bytes;
    counts.sectors +=
        (end + warp_model::kSectorBytes - 1) / warp_model::kSectorBytes - run.begin / warp_model::kSectorBytes;
    counts.tags +=
        (end + warp_model::kLineBytes - 1) / warp_model::kLineBytes - run.begin / warp_model::kLineBytes;
    bytes += run.bytes;
  }
  counts.bytes += bytes;
  counts.ideal_sectors += (bytes + warp_model::kSectorBytes - 1) / warp_model::kSectorBytes;
}

// A repeated access, with the number of its executions by the bits of the first lane's address that
// affect the cost. The cost is computed when the repetition ends: nearly every access equals the
// one before it at another address.
struct Repeated {
  bool is_known = false;
  Access access;
  std::array<uint64_t, 32> addresses, lands_at;
  std::vector<uint64_t> times;  // by address & key_mask
  uint32_t key_mask = 0;
};

// The bits of the first lane's address that affect the cost. Moving all lanes of a shared access by
// whole words rotates the banks and preserves conflicts. A global line has 128 bytes. An aligned
// value that all lanes read is in one sector at any address.
uint64_t key_mask_of(const Access& access) {
  if (access.space == AccessSpace::shared) return warp_model::kBankBytes - 1;
  const bool is_one_value = access.shape == AccessShape::uniform && std::has_single_bit(access.bytes) &&
                            access.bytes <= warp_model::kSectorBytes;
  return is_one_value && access.first % access.bytes == 0 ? access.bytes - 1 : warp_model::kLineBytes - 1;
}

class Counter final : public SelectiveObserver {
 public:
  Counter(const std::vector<SharedAccess>& served, const std::vector<SharedForm>& forms,
          const std::vector<RoundedForm>& rounded, const std::vector<UnrolledLoop>& loops, bool copies)
      : counts_(served.size()),
        repeated_(2 * served.size()),
        served_(served),
        forms_(forms),
        rounded_(rounded),
        turns_(loops, served.size()),
        behind_(copies) {
    counts_.rare_calls.resize(rounded.size());
  }
  void attach(machine::MachineView& machine) override {
    behind_.attach(machine);
    turns_.attach(machine);
  }
  void block_begin(uint64_t) override { turns_.block_begin(); }
  void async_step(const machine::AsyncStep& step) override { behind_.step(step, counts_); }
  void block_end(uint64_t block) override {
    for (const auto& [instruction, cost] : contention_.end_block())
      add_contention(counts_.by_space[instruction * LaunchCounts::kSpaces + LaunchCounts::kSharedSpace], cost);
    behind_.block_end(block);
    turns_.block_end();
  }
  // Bulk copies and copies of boxes (TMA): a request of one thread, as wide as it is.
  void bulk_access(const machine::BulkAccess& bulk) override {
    if (bulk.space != AccessSpace::global) return;
    const size_t at = bulk.instruction * LaunchCounts::kSpaces + static_cast<uint32_t>(bulk.space);
    counts_.kinds[at] = bulk.kind;
    add_runs(bulk, counts_.by_space[at]);
  }
  const LaunchCounts& counts() {
    for (std::unique_ptr<Repeated>& repeated : repeated_) {
      if (repeated != nullptr) settle(*repeated);
    }
    counts_.loops = turns_.loops();
    counts_.loops_are_mixed = turns_.is_mixed();
    return counts_;
  }

  void access(const Access& access) override {
    if (access.space == AccessSpace::shared && served_[access.instruction] == SharedAccess::atomic_loop &&
        is_atomic(access) && !forms_.empty())
      contention_.note(access);
    std::unique_ptr<Repeated>& repeated = repeated_[series_of(access)];
    if (access.repeats && repeated != nullptr && repeated->is_known) {
      ++repeated->times[access.first & repeated->key_mask];
      return;
    }
    if (access.space > AccessSpace::constant || access.mask == 0) return;
    if (repeated != nullptr) settle(*repeated);
    const size_t at = access.instruction * LaunchCounts::kSpaces + static_cast<uint32_t>(access.space);
    counts_.kinds[at] = access.kind;
    if (!access.repeats) return count(access, counts_.by_space[at]);
    if (repeated == nullptr) repeated = std::make_unique<Repeated>();
    learn(*repeated, access);
    ++repeated->times[access.first & repeated->key_mask];
  }
  bool may_elide(const Access& access, ElisionTerms& terms) override {
    if (terms.counts != nullptr) return false;  // another counter counts them
    Repeated* const repeated = repeated_[series_of(access)].get();
    if (repeated == nullptr || !repeated->is_known) return false;
    terms.counts = repeated->times.data();
    terms.key_mask = repeated->key_mask;
    return true;
  }
  bool subscribes_to(AccessSpace space) const override { return space <= AccessSpace::constant; }

  // Runs are counted at their two ends only; report() accumulates along the program.
  void issued(uint32_t first, uint32_t last, uint32_t mask) override {
    ++counts_.executions_change[first];
    --counts_.executions_change[last];
    counts_.warp_instructions += last - first;
    behind_.issued(last - first);
    turns_.issued(first, mask);
    counts_.thread_instructions += uint64_t{last - first} * warp_model::active_lanes(mask);
  }
  void rounded_operands(uint32_t instruction, uint32_t mask, const std::byte* a,
                        const std::byte* b) override {
    if (!rounded_.empty()) counts_.rare_calls[instruction].count(rounded_[instruction], mask, a, b);
  }
  void barrier(uint64_t, uint32_t warp, uint32_t, uint32_t) override {
    ++counts_.barriers;
    contention_.barrier(warp);
  }
  void diverged(uint32_t instruction, uint32_t, uint32_t) override {
    ++counts_.divergent_branches;
    ++counts_.divergences[instruction];
  }

 private:
  // cp.async reads global memory and writes shared memory: two separate series of accesses.
  static size_t series_of(const Access& access) {
    return 2 * size_t{access.instruction} + (access.space == AccessSpace::shared ? 1 : 0);
  }
  static void learn(Repeated& repeated, const Access& access) {
    repeated.is_known = true;
    repeated.access = access;
    if (access.shape == AccessShape::scattered) {
      std::copy_n(access.addresses, 32, repeated.addresses.begin());
      repeated.access.addresses = repeated.addresses.data();
    }
    if (access.lands_at != nullptr) {
      std::copy_n(access.lands_at, 32, repeated.lands_at.begin());
      repeated.access.lands_at = repeated.lands_at.data();
    }
    repeated.key_mask = static_cast<uint32_t>(key_mask_of(access));
    repeated.times.assign(repeated.key_mask + 1, 0);
  }

  void settle(Repeated& repeated) {
    if (!repeated.is_known) return;
    repeated.is_known = false;
    Access& access = repeated.access;
    SpaceCounts& sums =
        counts_.by_space[access.instruction * LaunchCounts::kSpaces + static_cast<uint32_t>(access.space)];
    for (uint64_t key = 0; key < repeated.times.size(); ++key) {
      if (repeated.times[key] == 0) continue;
      move(repeated, key - (access.first & repeated.key_mask));
      SpaceCounts cost;
      count(access, cost);
      sums.add(cost, repeated.times[key]);
    }
  }

  static void move(Repeated& repeated, uint64_t by) {
    repeated.access.first += by;
    repeated.access.base += by;
    if (repeated.access.shape != AccessShape::scattered) return;
    for (uint64_t& address : repeated.addresses)
      address += by;
  }

  void count_shared(const Access& access, SpaceCounts& counts) const {
    // Bulk reductions perform atomics without a PTX atomic instruction.
    const SharedAccess of_text = served_[access.instruction];
    const SharedAccess served = is_atomic(access) && of_text < SharedAccess::atomic ? SharedAccess::atomic : of_text;
    const warp_model::SharedCost cost = shared_cost(access, served);
    counts.requests += cost.requests;
    counts.bytes += cost.bytes;
    counts.wavefronts += cost.wavefronts;
    counts.ideal_wavefronts += cost.ideal_wavefronts;
    if (served == SharedAccess::atomic_loop) {
      uint64_t addresses[32];
      machine::fill_addresses(access, addresses);
      const warp_model::AtomicLoopCost loop =
          warp_model::atomic_loop_cost(addresses, access.mask, access.bytes);
      counts.attempts += loop.attempts;
      counts.loop_load_wavefronts += loop.load_wavefronts;
    }
    if (forms_.empty()) return;
    const SharedForm& form = forms_[access.instruction];
    if (form.bytes == 0) return;
    const bool is_same =
        form.bytes == SharedForm::kAsInPtx || (form.bytes == access.bytes && !form.uses_one_lane);
    const warp_model::SharedCost made = is_same ? cost : sass_cost(access, served, form);
    counts.sass_wavefronts += made.wavefronts;
    counts.sass_ideal_wavefronts += made.ideal_wavefronts;
  }

  static bool is_atomic(const Access& access) {
    return access.kind == AccessKind::atomic || access.kind == AccessKind::reduction;
  }
  // For a uniform address the warp may add up its values and let one lane do the atomic; without
  // the SASS this is assumed.
  warp_model::GlobalCost atomic_cost(const Access& access) const {
    if (access.shape == AccessShape::uniform &&
        (forms_.empty() || forms_[access.instruction].uses_one_lane)) {
      return global_cost(access);
    }
    uint64_t addresses[32];
    machine::fill_addresses(access, addresses);
    return warp_model::global_atomic_cost(addresses, access.mask, access.bytes);
  }

  void count(const Access& access, SpaceCounts& counts) const {
    counts.lanes += warp_model::active_lanes(access.mask);
    counts.whole_warps += access.mask == machine::kAllLanes;
    switch (access.space) {
      case AccessSpace::global:
        return add(counts, is_atomic(access) ? atomic_cost(access) : global_cost(access));
      case AccessSpace::local:
        return add(counts, local_cost(access));
      case AccessSpace::shared:
        return count_shared(access, counts);
      case AccessSpace::constant:
        ++counts.requests;
        counts.bytes += warp_model::active_lanes(access.mask) * access.bytes;
        counts.wavefronts += constant_wavefronts(access);
        counts.ideal_wavefronts += (access.bytes + 3) / 4;
        return;
      case AccessSpace::param:
        return;
    }
  }

  LaunchCounts counts_;
  std::vector<std::unique_ptr<Repeated>> repeated_;  // by series_of()
  const std::vector<SharedAccess>& served_;  // by instruction
  const std::vector<SharedForm>& forms_;
  const std::vector<RoundedForm>& rounded_;
  TurnCounter turns_;
  ContendedAtomics contention_;
  WorkBehindCopies behind_;
};

// Empty where there is none, as a rule.
std::vector<RoundedForm> rounded_forms(const std::vector<std::string_view>& texts) {
  std::vector<RoundedForm> forms(texts.size());
  std::transform(texts.begin(), texts.end(), forms.begin(), rounded_form);
  const bool any = std::any_of(forms.begin(), forms.end(), [](RoundedForm f) { return f != RoundedForm::none; });
  return any ? forms : std::vector<RoundedForm>{};
}

}  // namespace

void SpaceCounts::add(const SpaceCounts& other, uint64_t times) {
  requests += other.requests * times;
  lanes += other.lanes * times;
  whole_warps += other.whole_warps * times;
  bytes += other.bytes * times;
  sectors += other.sectors * times;
  ideal_sectors += other.ideal_sectors * times;
  tags += other.tags * times;
  wavefronts += other.wavefronts * times;
  ideal_wavefronts += other.ideal_wavefronts * times;
  sass_wavefronts += other.sass_wavefronts * times;
  sass_ideal_wavefronts += other.sass_ideal_wavefronts * times;
  attempts += other.attempts * times;
  failed_attempts += other.failed_attempts * times;
  loop_load_wavefronts += other.loop_load_wavefronts * times;
}

LaunchCounts::LaunchCounts(size_t instructions)
    : by_space(instructions * kSpaces),
      kinds(instructions * kSpaces),
      executions_change(instructions + 1),
      divergences(instructions) {}

void LaunchCounts::add(const LaunchCounts& other) {
  for (size_t k = 0; k < by_space.size(); ++k)
    by_space[k].add(other.by_space[k]);
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (other.kinds[k] != AccessKind::load)
      kinds[k] = other.kinds[k];  // a thread that never executed it has the default, load
  }
  for (size_t k = 0; k < divergences.size(); ++k) {
    executions_change[k] += other.executions_change[k];
    divergences[k] += other.divergences[k];
  }
  rare_calls.resize(std::max(rare_calls.size(), other.rare_calls.size()));
  for (size_t k = 0; k < other.rare_calls.size(); ++k)
    rare_calls[k].add(other.rare_calls[k]);
  if (loops.empty()) loops = other.loops;
  else
    for (size_t k = 0; k < loops.size(); ++k)
      loops[k].add(other.loops[k]);
  loops_are_mixed |= other.loops_are_mixed;
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  barriers += other.barriers;
  divergent_branches += other.divergent_branches;
  copy_groups += other.copy_groups;
  instructions_behind_copies += other.instructions_behind_copies;
}

std::unique_ptr<machine::Observer> LaunchCounter::make(const machine::Program& program) {
  if (program_ != &program) {
    program_ = &program;
    std::vector<std::string_view> texts;
    for (const machine::InstructionSource& source : machine::sources(program))
      texts.push_back(source.text);
    served_ = warp_model::shared_accesses(texts);
    total_ = LaunchCounts(served_.size());
    if (code_ != nullptr) {
      forms_ = shared_forms(machine::sources(program), *code_);
      rounded_ = rounded_forms(texts);
      loops_ = find_unrolled_loops(program, *code_);
    }
  }
  return std::make_unique<Counter>(served_, forms_, rounded_, loops_, has_async_copies(machine::sources(program)));
}

void LaunchCounter::collect(std::unique_ptr<machine::Observer> observer) {
  total_.add(static_cast<Counter&>(*observer).counts());
}

}  // namespace ridge::observe
