#include "virtual_gpu/observe/observer_list.h"

#include <algorithm>
#include <array>
#include <bit>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/faults/other_launches.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/selective_observer.h"

namespace ridge::observe {
namespace {

class CompositeObserver final : public machine::Observer, public machine::WaitDescriber {
 public:
  CompositeObserver(std::vector<std::unique_ptr<machine::Observer>> members, size_t instructions)
      : members_(std::move(members)), elided_(instructions), elided_space_(instructions) {
    for (machine::ElidedAccess& elided : elided_)
      elided.counts = &uncounted_;
    for (const auto& member : members_) {
      wants_values_ |= member->wants_values();
      auto* discerning = dynamic_cast<SelectiveObserver*>(member.get());
      if (discerning != nullptr) selective_.push_back(discerning);
      for (size_t space = 0; space < kSpaces; ++space) {
        if (discerning != nullptr && !discerning->subscribes_to(static_cast<machine::AccessSpace>(space)))
          continue;
        subscribers_[space].push_back(member.get());
        if (discerning != nullptr) elision_voters_[space].push_back(discerning);
      }
    }
  }
  std::vector<std::unique_ptr<machine::Observer>>& members() {
    flush_all();
    return members_;
  }

  void attach(machine::MachineView& machine) override {
    for (const auto& member : members_)
      member->attach(machine);
  }
  void block_begin(uint64_t block) override {
    for (const auto& member : members_)
      member->block_begin(block);
    update_load_subscribers();
  }
  void block_end(uint64_t block) override {
    flush_all();
    for (const auto& member : members_)
      member->block_end(block);
    update_load_subscribers();
  }
  machine::ElidedAccess* elided_accesses() override { return elided_.data(); }
  machine::ReadLog* read_log(uint64_t block) override {
    for (const auto& member : members_) {
      if (machine::ReadLog* const log = member->read_log(block)) return log;
    }
    return nullptr;
  }
  void access(const machine::Access& access) override {
    machine::ElidedAccess& elided = elided_[access.instruction];
    if (!access.repeats) {
      settle(access.instruction);
      elided.stop_eliding();
    }
    for (machine::Observer* subscriber : subscribers_[static_cast<size_t>(access.space)])
      subscriber->access(access);
    if (access.repeats && access.kind == machine::AccessKind::load &&
        access.ordering == machine::Ordering::weak && !elided.covers(access.first))
      agree(access, elided);
  }
  bool wants_values() const override { return wants_values_; }
  void values(const machine::Access& access, const void* values) override {
    for (const auto& member : members_) {
      if (member->wants_values()) member->values(access, values);
    }
  }
  void issued(uint32_t first, uint32_t last, uint32_t mask) override {
    for (const auto& member : members_)
      member->issued(first, last, mask);
  }
  void bulk_access(const machine::BulkAccess& access) override {
    for (const auto& member : members_)
      member->bulk_access(access);
  }
  void bulk_begins(const machine::BulkAccess& access) override {
    for (const auto& member : members_)
      member->bulk_begins(access);
  }
  void async_copy_begins(const machine::Access& access) override {
    for (const auto& member : members_)
      member->async_copy_begins(access);
  }
  void product(const machine::Product& product, bool is_made) override {
    for (const auto& member : members_)
      member->product(product, is_made);
  }
  void before_instruction(const machine::SteppedInstruction& step) override {
    for (const auto& member : members_)
      member->before_instruction(step);
  }
  void absent_shuffle(const machine::AbsentShuffle& shuffle) override {
    for (const auto& member : members_)
      member->absent_shuffle(shuffle);
  }
  void rounded_operands(uint32_t instruction, uint32_t mask, const std::byte* a,
                        const std::byte* b) override {
    for (const auto& member : members_)
      member->rounded_operands(instruction, mask, a, b);
  }
  std::optional<machine::ObservedFault> likely_cause(uint64_t block) override {
    for (const auto& member : members_) {
      if (auto cause = member->likely_cause(block)) return cause;
    }
    return std::nullopt;
  }
  std::string describe_wait(uint64_t block, uint32_t warp) const override {
    for (const auto& member : members_) {
      if (const auto* describer = dynamic_cast<const machine::WaitDescriber*>(member.get()))
        return describer->describe_wait(block, warp);
    }
    return {};
  }
  void async_step(const machine::AsyncStep& step) override {
    for (const auto& member : members_)
      member->async_step(step);
  }
  void released(uint64_t block, uint32_t warp, uint32_t mask, const machine::SyncPlace& place) override {
    for (const auto& member : members_)
      member->released(block, warp, mask, place);
  }
  void acquired(uint64_t block, uint32_t warp, uint32_t mask, const machine::SyncPlace& place) override {
    for (const auto& member : members_)
      member->acquired(block, warp, mask, place);
  }
  void fence(uint64_t block, uint32_t warp, uint32_t mask, machine::Scope scope, bool proxy_async) override {
    for (const auto& member : members_)
      member->fence(block, warp, mask, scope, proxy_async);
  }
  void grid_dependency(uint64_t block, uint32_t warp, uint32_t mask, bool waits) override {
    for (const auto& member : members_)
      member->grid_dependency(block, warp, mask, waits);
  }
  void mbarrier(uint64_t block, uint32_t warp, uint32_t mask, uint32_t instruction, uint64_t owner,
                uint64_t offset, bool initialises) override {
    for (const auto& member : members_)
      member->mbarrier(block, warp, mask, instruction, owner, offset, initialises);
  }
  void barrier(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t mask) override {
    for (const auto& member : members_)
      member->barrier(block, warp, instruction, mask);
  }
  void warp_barrier(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t mask) override {
    for (const auto& member : members_)
      member->warp_barrier(block, warp, instruction, mask);
  }
  void diverged(uint32_t instruction, uint32_t taken, uint32_t fell_through) override {
    for (const auto& member : members_)
      member->diverged(instruction, taken, fell_through);
  }
  void warp_diverged(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t taken,
                     uint32_t fell_through) override {
    for (const auto& member : members_)
      member->warp_diverged(block, warp, instruction, taken, fell_through);
  }

 private:
  // Elides such accesses from now on if every subscriber agrees.
  void agree(const machine::Access& access, machine::ElidedAccess& elided) {
    const auto space = static_cast<size_t>(access.space);
    if (elision_voters_[space].size() != subscribers_[space].size()) return;
    if (reports_every_load_ && access.space == machine::AccessSpace::global) {
      if (load_subscriber_->wants_every_load()) return;
      update_load_subscribers();  // it needs nothing more of this block: find another subscriber
      if (reports_every_load_) return;
    }
    ElisionTerms terms;
    for (SelectiveObserver* judge : elision_voters_[space]) {
      if (!judge->may_elide(access, terms)) return;
    }
    const ByteRange bytes = bytes_of(access);
    if (terms.end <= terms.begin || terms.end - terms.begin < bytes.end - bytes.lowest) return;
    elided.below = static_cast<uint32_t>(access.first - bytes.lowest);
    elided.bytes = static_cast<uint32_t>(bytes.end - bytes.lowest);
    elided.from = terms.begin + (access.first - bytes.lowest);
    elided.span = terms.end - terms.begin - (bytes.end - bytes.lowest);
    elided.counts = terms.counts != nullptr ? terms.counts : &uncounted_;
    elided.key_mask = terms.key_mask;
    elided.pattern = terms.pattern;
    if (!elided_space_[access.instruction]) elided_instructions_.push_back(access.instruction);
    elided_space_[access.instruction] = access.space;
  }
  void settle(uint32_t instruction) {
    machine::ElidedAccess& elided = elided_[instruction];
    if (elided.times == 0) return;
    for (SelectiveObserver* member : selective_)
      member->accesses_elided(instruction, *elided_space_[instruction], elided);
    elided.times = elided.highest = 0;
    elided.lowest = ~uint64_t{0};
  }
  void flush_all() {
    for (const uint32_t instruction : elided_instructions_)
      settle(instruction);
  }
  void update_load_subscribers() {
    const size_t before = load_subscriber_count_;
    load_subscriber_count_ = 0;
    for (const SelectiveObserver* member : selective_) {
      if (!member->wants_every_load()) continue;
      ++load_subscriber_count_;
      load_subscriber_ = member;
    }
    reports_every_load_ = load_subscriber_count_ > 0;
    if (load_subscriber_count_ <= before) return;
    flush_all();
    for (const uint32_t instruction : elided_instructions_) {
      elided_[instruction].stop_eliding();
      elided_space_[instruction].reset();
    }
    elided_instructions_.clear();
  }

  static constexpr size_t kSpaces = static_cast<size_t>(machine::AccessSpace::param) + 1;
  std::vector<std::unique_ptr<machine::Observer>> members_;
  std::vector<SelectiveObserver*> selective_;
  std::array<std::vector<machine::Observer*>, kSpaces> subscribers_;  // by space
  // Those that may elide loads.
  std::array<std::vector<SelectiveObserver*>, kSpaces> elision_voters_;
  bool wants_values_ = false, reports_every_load_ = false;
  size_t load_subscriber_count_ = 0;
  // One of them, if there is any.
  const SelectiveObserver* load_subscriber_ = nullptr;
  std::vector<machine::ElidedAccess> elided_;                       // by instruction
  // Instructions whose accesses may be elided.
  std::vector<uint32_t> elided_instructions_;
  // By instruction: the space whose accesses may be elided.
  std::vector<std::optional<machine::AccessSpace>> elided_space_;
  uint64_t uncounted_ = 0;
};

}  // namespace

ByteRange bytes_of(const machine::Access& access) {
  const auto first = static_cast<uint64_t>(std::countr_zero(access.mask));
  const auto last = static_cast<uint64_t>(31 - std::countl_zero(access.mask));
  if (access.shape != machine::AccessShape::scattered) {
    const auto stride = static_cast<uint64_t>(access.stride);
    const uint64_t a = access.base + stride * first, b = access.base + stride * last;
    return {std::min(a, b), std::max(a, b) + access.bytes};
  }
  ByteRange range{~uint64_t{0}, 0};
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const uint64_t address = access.addresses[std::countr_zero(rest)];
    range = {std::min(range.lowest, address), std::max(range.end, address)};
  }
  return {range.lowest, range.end + access.bytes};
}

std::unique_ptr<machine::Observer> ObserverList::make(const machine::Program& program) {
  std::vector<std::unique_ptr<machine::Observer>> members;
  for (machine::ObserverFactory* factory : factories_)
    members.push_back(factory->make(program));
  return std::make_unique<CompositeObserver>(std::move(members), machine::sources(program).size());
}

void ObserverList::collect(std::unique_ptr<machine::Observer> observer) {
  auto& members = static_cast<CompositeObserver&>(*observer).members();
  for (size_t k = 0; k < members.size(); ++k)
    factories_[k]->collect(std::move(members[k]));
}

std::optional<machine::ObserverFactory::LateFault> ObserverList::verdict() {
  for (machine::ObserverFactory* factory : factories_) {
    if (auto found = factory->verdict()) return found;
  }
  return std::nullopt;
}

std::vector<machine::ObserverFactory::DeferredFault> ObserverList::deferred() {
  std::vector<DeferredFault> all;
  for (machine::ObserverFactory* factory : factories_) {
    for (DeferredFault& one : factory->deferred())
      all.push_back(std::move(one));
  }
  return all;
}

}  // namespace ridge::observe
