#include "virtual_gpu/observe/observer_list.h"

#include <array>

#include "virtual_gpu/observe/discerning_observer.h"

namespace ridge::observe {
namespace {

class Everyone final : public machine::Observer {
 public:
  explicit Everyone(std::vector<std::unique_ptr<machine::Observer>> members) : members_(std::move(members)) {
    for (const auto& member : members_) {
      wants_values_ |= member->wants_values();
      auto* discerning = dynamic_cast<DiscerningObserver*>(member.get());
      if (discerning != nullptr && counter_ == nullptr && !discerning->repeats().empty()) {
        counter_ = discerning;
        repeats_ = discerning->repeats().data();
        continue;
      }
      for (size_t space = 0; space < kSpaces; ++space) {
        if (discerning == nullptr || discerning->hears_of(static_cast<machine::AccessSpace>(space)))
          hearers_[space].push_back(member.get());
      }
    }
  }
  std::vector<std::unique_ptr<machine::Observer>>& members() { return members_; }

  void attach(machine::MachineView& machine) override {
    for (const auto& member : members_)
      member->attach(machine);
  }
  void block_begin(uint64_t block) override {
    for (const auto& member : members_)
      member->block_begin(block);
  }
  void block_end(uint64_t block) override {
    for (const auto& member : members_)
      member->block_end(block);
  }
  void access(const machine::Access& access) override {
    for (machine::Observer* hearer : hearers_[static_cast<size_t>(access.space)])
      hearer->access(access);
    if (repeats_ != nullptr && !repeats_[access.instruction].counts(access)) counter_->access(access);
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
  std::vector<std::unique_ptr<machine::Observer>> members_;
  bool wants_values_ = false;
  static constexpr size_t kSpaces = static_cast<size_t>(machine::AccessSpace::param) + 1;
  DiscerningObserver* counter_ = nullptr;  // the member that only counts what repeats; told last
  RepeatCount* repeats_ = nullptr;
  std::array<std::vector<machine::Observer*>, kSpaces> hearers_;  // of the others, by space
};

}  // namespace

std::unique_ptr<machine::Observer> ObserverList::make(const machine::Program& program) {
  if (factories_.size() == 1) return factories_.front()->make(program);
  std::vector<std::unique_ptr<machine::Observer>> members;
  for (machine::ObserverFactory* factory : factories_)
    members.push_back(factory->make(program));
  return std::make_unique<Everyone>(std::move(members));
}

void ObserverList::collect(std::unique_ptr<machine::Observer> observer) {
  if (factories_.size() == 1) return factories_.front()->collect(std::move(observer));
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
