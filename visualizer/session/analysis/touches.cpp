// Counts the sectors that the records touch.
#include "visualizer/session/analysis/touches.h"

#include <algorithm>
#include <bit>

#include "visualizer/session/analysis/footprint.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

// Half a gigabyte of array; the rest of a larger one is not shown.
constexpr uint64_t kMostSectors = 1u << 24;
constexpr size_t kMostLines = 256;  // per record

}  // namespace

TouchCounter::TouchCounter(const LoadedTrace& loaded) : trace_(loaded) {
  const auto& arrays = loaded.trace().arrays;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const auto& array = arrays[i];
    if (array.space != trace::RecordSpace::global || array.bytes == 0) continue;
    ArrayTouches one;
    one.array = i;
    const uint64_t first = array.address / 32, last = (array.address + array.bytes - 1) / 32;
    one.sectors.resize(std::min(last - first + 1, kMostSectors));
    touches_.arrays.push_back(std::move(one));
  }
}

ArrayTouches* TouchCounter::array_of(uint64_t address) {
  const auto holds = [&](const ArrayTouches& one) {
    const auto& array = trace_.trace().arrays[one.array];
    return address >= array.address / 32 * 32 &&
           address - array.address / 32 * 32 < array.bytes + array.address % 32;
  };
  if (last_ && holds(*last_)) return last_;
  const auto found = std::find_if(touches_.arrays.begin(), touches_.arrays.end(), holds);
  return last_ = found == touches_.arrays.end() ? nullptr : &*found;
}

void TouchCounter::touch(TouchTime time, const trace::TraceRecord& record, const AskedSector& asked,
                         float wasted) {
  ArrayTouches* array = array_of(asked.sector * 32);
  if (!array) return;
  const uint64_t at = asked.sector - trace_.trace().arrays[array->array].address / 32;
  if (at >= array->sectors.size()) return;
  SectorTouches& one = array->sectors[at];
  if (one.touches() == 0) ++array->touched, one.first = time;
  const auto block = static_cast<uint16_t>(std::min<uint32_t>(time.block + 1, 65535));
  if (record.kind == trace::RecordKind::load)
    ++one.reads, one.last_reader = block;
  else
    ++one.writes, one.last_writer = block;
  array->bytes_used += warp_model::active_lanes(asked.used & ~one.used);
  one.used |= asked.used;
  one.wasted += wasted;
  ++array->fetched_sectors;
  array->ideal_sectors += 1 - static_cast<double>(wasted);
  array->most = std::max(array->most, one.touches());
}

// The waste of a record is distributed evenly over its sectors.
void TouchCounter::count_asked(size_t block, size_t index, const trace::TraceRecord& record) {
  uint64_t bytes = 0;
  for (const AskedSector& one : asked_)
    bytes += warp_model::active_lanes(one.used);
  const auto sectors = static_cast<float>(asked_.size());
  const auto ideal = static_cast<float>((bytes + 31) / 32);
  const float wasted = sectors > ideal ? (sectors - ideal) / sectors : 0;
  const TouchTime time{static_cast<uint32_t>(block), static_cast<uint32_t>(index)};
  for (const AskedSector& one : asked_)
    touch(time, record, one, wasted);
}

void TouchCounter::count(size_t block, size_t index, const trace::TraceRecord& record) {
  if (++counted_ > Touches::kMostRecords) {
    touches_.complete = false;
    return;
  }
  if (record.space != trace::RecordSpace::global || !record.is_access()) return;
  asked_.clear();
  if (record.shape == trace::RecordShape::runs) {
    for (const TouchedLine& line : footprint_of(record, kMostLines).lines)
      for (const TouchedSector& sector : line.sectors)
        asked_.push_back({sector.sector, sector.used});
    return count_asked(block, index, record);
  }
  // As footprint_of(), but without a tree: for a million records this takes a tenth of the time.
  for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1) {
    uint64_t at = record.addresses[static_cast<size_t>(std::countr_zero(lanes))];
    for (const uint64_t end = at + record.bytes; at < end;) {
      const uint64_t sector = at / 32, stop = std::min(end, (sector + 1) * 32);
      const auto used = static_cast<uint32_t>(((uint64_t{1} << (stop - at)) - 1) << at % 32);
      if (!asked_.empty() && asked_.back().sector == sector)
        asked_.back().used |= used;
      else
        asked_.push_back({sector, used});
      at = stop;
    }
  }
  const auto by_sector = [](const auto& a, const auto& b) { return a.sector < b.sector; };
  if (!std::is_sorted(asked_.begin(), asked_.end(), by_sector))
    std::sort(asked_.begin(), asked_.end(), by_sector);
  size_t kept = 0;
  for (size_t i = 0; i < asked_.size(); ++i) {
    if (kept > 0 && asked_[kept - 1].sector == asked_[i].sector)
      asked_[kept - 1].used |= asked_[i].used;
    else
      asked_[kept++] = asked_[i];
  }
  asked_.resize(kept);
  count_asked(block, index, record);
}

}  // namespace ridge::view
