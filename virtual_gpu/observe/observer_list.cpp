#include "virtual_gpu/observe/observer_list.h"

#include <algorithm>
#include <array>
#include <bit>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/discerning_observer.h"

namespace ridge::observe {
namespace {

class Everyone final : public machine::Observer {
 public:
  Everyone(std::vector<std::unique_ptr<machine::Observer>> members, size_t instructions)
      : members_(std::move(members)), quiet_(instructions), quiet_space_(instructions) {
    for (machine::QuietAccess& quiet : quiet_)
      quiet.counts = &uncounted_;
    for (const auto& member : members_) {
      wants_values_ |= member->wants_values();
      auto* discerning = dynamic_cast<DiscerningObserver*>(member.get());
      if (discerning != nullptr) discerning_.push_back(discerning);
      for (size_t space = 0; space < kSpaces; ++space) {
        if (discerning != nullptr && !discerning->hears_of(static_cast<machine::AccessSpace>(space)))
          continue;
        hearers_[space].push_back(member.get());
        if (discerning != nullptr) judges_[space].push_back(discerning);
      }
    }
  }
  std::vector<std::unique_ptr<machine::Observer>>& members() {
    settle_all();
    return members_;
  }

  void attach(machine::MachineView& machine) override {
    for (const auto& member : members_)
      member->attach(machine);
  }
  void block_begin(uint64_t block) override {
    for (const auto& member : members_)
      member->block_begin(block);
    look_who_wants_loads();
  }
  void block_end(uint64_t block) override {
    settle_all();
    for (const auto& member : members_)
      member->block_end(block);
    look_who_wants_loads();
  }
  machine::QuietAccess* quiet_accesses() override { return quiet_.data(); }
  machine::ReadLog* read_log(uint64_t block) override {
    for (const auto& member : members_) {
      if (machine::ReadLog* const log = member->read_log(block)) return log;
    }
    return nullptr;
  }
  void access(const machine::Access& access) override {
    machine::QuietAccess& quiet = quiet_[access.instruction];
    if (!access.repeats) {
      settle(access.instruction);
      quiet.be_told();
    }
    for (machine::Observer* hearer : hearers_[static_cast<size_t>(access.space)])
      hearer->access(access);
    if (access.repeats && access.kind == machine::AccessKind::load &&
        access.ordering == machine::Ordering::weak && !quiet.covers(access.first))
      agree(access, quiet);
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
  // From now on the core may keep such accesses to itself, if nobody minds.
  void agree(const machine::Access& access, machine::QuietAccess& quiet) {
    const auto space = static_cast<size_t>(access.space);
    if (judges_[space].size() != hearers_[space].size()) return;
    if (every_load_is_told_ && access.space == machine::AccessSpace::global) {
      if (wanter_->wants_every_load()) return;
      look_who_wants_loads();  // it has heard enough of this block; and the others?
      if (every_load_is_told_) return;
    }
    QuietTerms terms;
    for (DiscerningObserver* judge : judges_[space]) {
      if (!judge->lets_go(access, terms)) return;
    }
    const ByteRange bytes = bytes_of(access);
    if (terms.end <= terms.begin || terms.end - terms.begin < bytes.end - bytes.lowest) return;
    quiet.below = static_cast<uint32_t>(access.first - bytes.lowest);
    quiet.bytes = static_cast<uint32_t>(bytes.end - bytes.lowest);
    quiet.from = terms.begin + (access.first - bytes.lowest);
    quiet.span = terms.end - terms.begin - (bytes.end - bytes.lowest);
    quiet.counts = terms.counts != nullptr ? terms.counts : &uncounted_;
    quiet.key_mask = terms.key_mask;
    quiet.pattern = terms.pattern;
    if (!quiet_space_[access.instruction]) known_quiet_.push_back(access.instruction);
    quiet_space_[access.instruction] = access.space;
  }
  void settle(uint32_t instruction) {
    machine::QuietAccess& quiet = quiet_[instruction];
    if (quiet.times == 0) return;
    for (DiscerningObserver* member : discerning_)
      member->went_by(instruction, *quiet_space_[instruction], quiet);
    quiet.times = quiet.highest = 0;
    quiet.lowest = ~uint64_t{0};
  }
  void settle_all() {
    for (const uint32_t instruction : known_quiet_)
      settle(instruction);
  }
  void look_who_wants_loads() {
    const size_t before = who_want_loads_;
    who_want_loads_ = 0;
    for (const DiscerningObserver* member : discerning_) {
      if (!member->wants_every_load()) continue;
      ++who_want_loads_;
      wanter_ = member;
    }
    every_load_is_told_ = who_want_loads_ > 0;
    if (who_want_loads_ <= before) return;
    settle_all();
    for (const uint32_t instruction : known_quiet_) {
      quiet_[instruction].be_told();
      quiet_space_[instruction].reset();
    }
    known_quiet_.clear();
  }

  static constexpr size_t kSpaces = static_cast<size_t>(machine::AccessSpace::param) + 1;
  std::vector<std::unique_ptr<machine::Observer>> members_;
  std::vector<DiscerningObserver*> discerning_;
  std::array<std::vector<machine::Observer*>, kSpaces> hearers_;  // by space
  std::array<std::vector<DiscerningObserver*>, kSpaces> judges_;  // of them, those that may let loads go
  bool wants_values_ = false, every_load_is_told_ = false;
  size_t who_want_loads_ = 0;
  const DiscerningObserver* wanter_ = nullptr;                    // one of them, where there is one
  std::vector<machine::QuietAccess> quiet_;                       // by instruction
  std::vector<uint32_t> known_quiet_;                             // instructions that may be
  std::vector<std::optional<machine::AccessSpace>> quiet_space_;  // by instruction: where it may be
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
  return std::make_unique<Everyone>(std::move(members), machine::sources(program).size());
}

void ObserverList::collect(std::unique_ptr<machine::Observer> observer) {
  auto& members = static_cast<Everyone&>(*observer).members();
  for (size_t k = 0; k < members.size(); ++k)
    factories_[k]->collect(std::move(members[k]));
}

std::optional<machine::ObserverFactory::LateFault> ObserverList::verdict() {
  for (machine::ObserverFactory* factory : factories_) {
    if (auto found = factory->verdict()) return found;
  }
  return std::nullopt;
}

}  // namespace ridge::observe
