#include "virtual_gpu/observe/counts/link_counter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "virtual_gpu/observe/selective_observer.h"
#include "warp_model/access.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using trace::LinkCounts;
using warp_model::kLineBytes;
using warp_model::kSectorBytes;

constexpr std::array<const char*, 4> kLinkKinds = {"load", "store", "atomic", "atomic"};

class LinkObserver final : public SelectiveObserver {
 public:
  LinkObserver(unsigned device, unsigned devices, const machine::DeviceMemory& memory)
      : device_(device), devices_(devices), memory_(memory), totals_(devices * 3) {}

  bool subscribes_to(machine::AccessSpace space) const override {
    return space == machine::AccessSpace::global;
  }
  // Loads inside an array of the own device need not be reported.
  bool may_elide(const Access& access, ElisionTerms& terms) override {
    if (is_peer(access.first)) return false;
    const auto range = memory_.range_of(access.first);
    terms.keep_inside(range.begin, range.end);
    return range.end != 0;
  }

  void access(const Access& access) override {
    if (access.mask == 0) return;
    uint64_t addresses[32];
    machine::fill_addresses(access, addresses);
    lines_ = 0;
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const uint64_t begin = addresses[std::countr_zero(rest)];
      if (is_peer(begin)) note(begin, access.bytes);
    }
    add(access.kind,
        access.kind >= AccessKind::atomic || access.ordering != machine::Ordering::weak);
  }

  void bulk_access(const machine::BulkAccess& access) override {
    if (access.space != machine::AccessSpace::global) return;
    for (const auto& run : access.runs) {
      if (!is_peer(run.begin)) continue;
      for (uint64_t at = run.begin; at < run.begin + run.bytes;
           at = (at / kLineBytes + 1) * kLineBytes) {
        lines_ = 0;
        note(at, std::min(run.begin + run.bytes, (at / kLineBytes + 1) * kLineBytes) - at);
        add(access.kind, false);
      }
    }
  }

  std::vector<LinkCounts> links() const {
    std::vector<LinkCounts> out;
    for (const LinkCounts& one : totals_)
      if (one.requests != 0) out.push_back(one);
    return out;
  }

 private:
  bool is_peer(uint64_t address) const {
    const unsigned arena = memory_.arena_of(address);
    return arena != device_ && arena < devices_;
  }

  // Adds bytes of one line; lanes of a warp that touch the same line share a request.
  void note(uint64_t begin, uint64_t bytes) {
    const uint64_t line = begin / kLineBytes;
    const auto first = static_cast<uint32_t>(begin % kLineBytes / kSectorBytes);
    const auto last = static_cast<uint32_t>((begin % kLineBytes + bytes - 1) / kSectorBytes);
    const uint32_t sectors = (2u << std::min(last, 3u)) - (1u << first);
    for (size_t i = lines_; i-- > 0;) {
      if (line_[i] != line) continue;
      sectors_[i] |= sectors;
      return;
    }
    line_[lines_] = line;
    sectors_[lines_++] = sectors;
  }

  void add(AccessKind kind, bool strong) {
    for (size_t i = 0; i < lines_; ++i) {
      const unsigned peer = memory_.arena_of(line_[i] * kLineBytes);
      const size_t which = std::min<size_t>(static_cast<size_t>(kind), 2);
      LinkCounts& total = totals_[peer * 3 + which];
      total.kind = kLinkKinds[which];
      total.source = kind == AccessKind::load ? peer : device_;
      total.destination = kind == AccessKind::load ? device_ : peer;
      const auto count = static_cast<uint64_t>(std::popcount(sectors_[i]));
      total.bytes += count * kSectorBytes;
      ++total.requests;
      total.strong_requests += strong ? 1 : 0;
      ++total.requests_by_sectors[count - 1];
    }
  }

  const unsigned device_, devices_;
  const machine::DeviceMemory& memory_;
  std::vector<LinkCounts> totals_;  // by peer and kind
  size_t lines_ = 0;                // of the current access
  std::array<uint64_t, 32> line_{};
  std::array<uint32_t, 32> sectors_{};
};

}  // namespace

std::unique_ptr<machine::Observer> LinkCounter::make(const machine::Program&) {
  return std::make_unique<LinkObserver>(device_, devices_, memory_);
}

void LinkCounter::collect(std::unique_ptr<machine::Observer> observer) {
  trace::add_links(links_, dynamic_cast<const LinkObserver&>(*observer).links());
}

std::vector<trace::LinkCounts> LinkCounter::links() const {
  std::vector<LinkCounts> sorted = links_;
  std::sort(sorted.begin(), sorted.end(), [](const LinkCounts& a, const LinkCounts& b) {
    return std::tie(a.source, a.destination, a.kind) < std::tie(b.source, b.destination, b.kind);
  });
  return sorted;
}

}  // namespace ridge::observe
