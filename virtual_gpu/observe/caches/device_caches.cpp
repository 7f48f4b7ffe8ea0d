#include "virtual_gpu/observe/caches/device_caches.h"

#include <algorithm>
#include <bit>

namespace ridge::observe {
namespace {

using warp_model::kSectorBytes;
using warp_model::sector_count;
using warp_model::SectorMask;

constexpr uint32_t kL2Ways = 16;
// Measured on an H200 (60 MB): of 128 MB written once, 104 MB had reached DRAM when the kernel
// ended.
constexpr double kDirtyFraction = 0.42;

// Extends the mask to both sectors of every 64 bytes.
SectorMask whole_pairs(SectorMask sectors) {
  const auto pairs = static_cast<SectorMask>((sectors | sectors >> 1) & 0b0101);
  return static_cast<SectorMask>(pairs | pairs << 1);
}

}  // namespace

L2Cache::L2Cache(uint64_t bytes)
    : halves_{{bytes / 2, kL2Ways, warp_model::Replacement::oldest_of_a_few},
              {bytes / 2, kL2Ways, warp_model::Replacement::oldest_of_a_few}},
      dirty_limit_(static_cast<uint64_t>(static_cast<double>(bytes) * kDirtyFraction) / kSectorBytes) {}

// A hash that distributes neighbouring 4 KB pieces over both halves.
uint32_t L2Cache::home_of(uint64_t line) const {
  return static_cast<uint32_t>((line >> 5) * 0x9e3779b97f4a7c15u >> 63);
}

void L2Cache::written_back(uint32_t sectors) {
  const uint64_t already = std::min<uint64_t>(sectors, cleaned_);
  cleaned_ -= already;
  const uint64_t now = std::min<uint64_t>(sectors - already, dirty_);
  dirty_ -= now;
  dram_write_bytes_ += now * kSectorBytes;
}

L2Answer L2Cache::read(uint64_t line, SectorMask sectors, uint32_t side) {
  const uint32_t home = home_of(line);
  const SectorMask near = halves_[side].find(line, sectors);
  L2Answer answer{sector_count(near), 0};
  const auto missed = static_cast<SectorMask>(sectors & ~near);
  if (missed == 0) return answer;
  SectorMask at_home = 0;
  if (home != side) at_home = halves_[home].find(line, missed);
  if (const auto absent = static_cast<SectorMask>(missed & ~at_home); absent != 0) {
    const SectorMask fetched = whole_pairs(absent);
    const auto fresh = static_cast<SectorMask>(fetched & ~halves_[home].find(line, fetched));
    answer.dram_bytes = sector_count(fresh) * kSectorBytes;
    written_back(sector_count(halves_[home].fill(line, fresh, false)));
  }
  if (home != side) written_back(sector_count(halves_[side].fill(line, missed, false)));
  return answer;
}

void L2Cache::write(uint64_t line, SectorMask sectors) {
  const uint32_t home = home_of(line);
  halves_[home ^ 1].forget(line, sectors);
  const SectorMask dirty = halves_[home].dirty(line, sectors);
  dirty_ += sector_count(static_cast<SectorMask>(sectors & ~dirty));
  written_back(sector_count(halves_[home].fill(line, sectors, true)));
  if (dirty_ <= dirty_limit_) return;
  dram_write_bytes_ += (dirty_ - dirty_limit_) * kSectorBytes;
  cleaned_ += dirty_ - dirty_limit_;
  dirty_ = dirty_limit_;
}

L2Answer L2Cache::update(uint64_t line, SectorMask sectors) {
  const L2Answer answer = read(line, sectors, home_of(line));
  write(line, sectors);
  return answer;
}

void L2Cache::clear() {
  halves_[0].clear();
  halves_[1].clear();
  dirty_ = cleaned_ = 0;
}

}  // namespace ridge::observe
