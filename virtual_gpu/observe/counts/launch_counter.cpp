#include "virtual_gpu/observe/counts/launch_counter.h"

#include <algorithm>
#include <string_view>

#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/counts/access_cost.h"
#include "virtual_gpu/observe/counts/contended_atomics.h"
#include "virtual_gpu/observe/counts/repeated_access.h"
#include "virtual_gpu/observe/counts/iteration_counter.h"
#include "virtual_gpu/observe/counts/work_behind_groups.h"
#include "virtual_gpu/observe/counts/work_of_blocks.h"
#include "virtual_gpu/observe/selective_observer.h"
#include "warp_model/access.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessSpace;
using warp_model::SharedAccess;

void add_contention(SpaceCounts& counts, const ContentionCost& cost) {
  counts.attempts += cost.attempts;
  counts.failed_attempts += cost.failed_attempts;
  counts.loop_load_wavefronts += cost.load_wavefronts;
  counts.sass_wavefronts += cost.load_wavefronts + cost.swap_wavefronts;
}

class Counter final : public SelectiveObserver {
 public:
  Counter(const std::vector<SharedAccess>& served, const std::vector<SharedForm>& forms,
          const std::vector<RoundedForm>& rounded, const std::vector<UnrolledLoop>& loops,
          bool has_groups)
      : counts_(served.size()),
        repeated_(2 * served.size()),
        cost_(served, forms),
        rounded_(rounded),
        iterations_(loops, served.size()),
        behind_(has_groups) {
    counts_.rare_calls.resize(rounded.size());
  }
  void attach(machine::MachineView& machine) override {
    blocks_.attach(machine);
    behind_.attach(machine);
    iterations_.attach(machine);
  }
  void block_begin(uint64_t block) override {
    iterations_.block_begin();
    blocks_.begin_block(block, counts_.warp_instructions);
  }
  void async_step(const machine::AsyncStep& step) override {
    behind_.step(step, counts_);
    counts_.wgmma_drains += step.drains;
  }
  void block_end(uint64_t block) override {
    for (const auto& [instruction, cost] : contention_.end_block())
      add_contention(counts_of(instruction, AccessSpace::shared), cost);
    behind_.block_end(block);
    iterations_.block_end();
    counts_.busiest_block_instructions =
        std::max(counts_.busiest_block_instructions,
                 blocks_.end_block(block, counts_.warp_instructions));
  }
  void bulk_access(const machine::BulkAccess& bulk) override {
    if (bulk.space != AccessSpace::global) return;
    const size_t place = LaunchCounts::place_of(bulk.instruction, bulk.space);
    counts_.kinds[place] = bulk.kind;
    add_bulk_access(bulk, counts_.by_space[place]);
  }
  const LaunchCounts& counts() {
    for (std::unique_ptr<RepeatedAccess>& repeated : repeated_) {
      if (repeated != nullptr) settle(*repeated);
    }
    counts_.loops = iterations_.loops();
    counts_.loops_are_mixed = iterations_.is_mixed();
    return counts_;
  }

  void access(const Access& access) override {
    if (cost_.is_atomic_loop(access)) contention_.note(access);
    std::unique_ptr<RepeatedAccess>& repeated = repeated_[series_of(access)];
    if (access.repeats && repeated != nullptr && repeated->is_known()) {
      repeated->count(access);
      return;
    }
    if (access.space > AccessSpace::constant || access.mask == 0) return;
    if (repeated != nullptr) settle(*repeated);
    const size_t place = LaunchCounts::place_of(access.instruction, access.space);
    counts_.kinds[place] = access.kind;
    if (!access.repeats) return cost_.add(access, counts_.by_space[place]);
    if (repeated == nullptr) repeated = std::make_unique<RepeatedAccess>();
    repeated->begin(access);
    repeated->count(access);
  }
  bool may_elide(const Access& access, ElisionTerms& terms) override {
    if (terms.counts != nullptr) return false;  // another counter counts them
    RepeatedAccess* const repeated = repeated_[series_of(access)].get();
    if (repeated == nullptr || !repeated->is_known()) return false;
    terms.counts = repeated->times();
    terms.key_mask = repeated->key_mask();
    return true;
  }
  bool subscribes_to(AccessSpace space) const override { return space <= AccessSpace::constant; }

  // Runs are counted at their two ends only; report() accumulates along the program.
  void issued(uint32_t first, uint32_t last, uint32_t mask) override {
    ++counts_.executions_change[first];
    --counts_.executions_change[last];
    counts_.warp_instructions += last - first;
    blocks_.issued(last - first);
    behind_.issued(last - first);
    iterations_.issued(first, mask);
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
  SpaceCounts& counts_of(uint32_t instruction, AccessSpace space) {
    return counts_.by_space[LaunchCounts::place_of(instruction, space)];
  }
  void settle(RepeatedAccess& repeated) {
    repeated.end([this](const Access& access, uint64_t times) {
      SpaceCounts cost;
      cost_.add(access, cost);
      counts_of(access.instruction, access.space).add(cost, times);
    });
  }

  LaunchCounts counts_;
  std::vector<std::unique_ptr<RepeatedAccess>> repeated_;  // by series_of()
  const AccessCost cost_;
  const std::vector<RoundedForm>& rounded_;  // by instruction
  IterationCounter iterations_;
  ContendedAtomics contention_;
  WorkBehindGroups behind_;
  WorkOfBlocks blocks_;
};

// By instruction. Empty when no instruction has such a form.
std::vector<RoundedForm> rounded_forms(const std::vector<std::string_view>& texts) {
  std::vector<RoundedForm> forms(texts.size());
  std::transform(texts.begin(), texts.end(), forms.begin(), rounded_form);
  const bool any =
      std::any_of(forms.begin(), forms.end(), [](RoundedForm f) { return f != RoundedForm::none; });
  return any ? forms : std::vector<RoundedForm>{};
}

}  // namespace

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
  return std::make_unique<Counter>(served_, forms_, rounded_, loops_,
                                   has_async_groups(machine::sources(program)));
}

void LaunchCounter::collect(std::unique_ptr<machine::Observer> observer) {
  total_.add(static_cast<Counter&>(*observer).counts());
}

}  // namespace ridge::observe
