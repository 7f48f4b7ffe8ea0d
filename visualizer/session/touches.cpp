#include "visualizer/session/touches.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "visualizer/session/footprint.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

constexpr uint64_t kMostSectors =
    1u << 24;                       // half a gigabyte of array; the rest of a larger one is not shown
constexpr size_t kMostLines = 256;  // of one record

HeatMap heat_map(const trace::TraceArray& array, const ArrayTouches& touches) {
  HeatMap map;
  const uint64_t sectors = touches.sectors.size();
  // A row of the array is a row of the picture where its shape is known; else about as wide as three times
  // its height.
  uint64_t row = 0;
  if (array.extent.size() > 1 && array.element_bytes) row = array.extent.back() * array.element_bytes / 32;
  if (row == 0 || row > sectors)
    row = std::max<uint64_t>(1, static_cast<uint64_t>(std::sqrt(3.0 * static_cast<double>(sectors))));
  const uint64_t rows = (sectors + row - 1) / row;
  while (std::max(row, rows) / map.sectors_a_cell > HeatMap::kMostSide)
    map.sectors_a_cell *= 2;
  map.sectors_a_row = row;
  const auto cells = [&](uint64_t all) { return (all + map.sectors_a_cell - 1) / map.sectors_a_cell; };
  map.width = static_cast<int>(cells(row)), map.height = static_cast<int>(cells(rows));
  map.cells.resize(static_cast<size_t>(map.width) * static_cast<size_t>(map.height));
  const double scale = static_cast<double>(HeatMap::kHottest - 1) / std::max(1u, touches.most);
  for (uint64_t s = 0; s < sectors; ++s) {
    const SectorTouches& one = touches.sectors[s];
    if (one.reads + one.writes == 0) continue;
    uint8_t& cell = map.cells[s / row / map.sectors_a_cell * static_cast<uint64_t>(map.width) +
                              s % row / map.sectors_a_cell];
    const auto heat = static_cast<uint8_t>(1 + scale * (one.reads + one.writes));
    const bool partly = one.used != ~uint32_t{0} || cell >= HeatMap::kPartly;
    cell = static_cast<uint8_t>(std::max<uint8_t>(heat, cell % HeatMap::kPartly) +
                                (partly ? HeatMap::kPartly : 0));
  }
  return map;
}

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

void TouchCounter::touch(size_t block, const trace::TraceRecord& record, uint64_t sector, uint32_t used) {
  ArrayTouches* array = array_of(sector * 32);
  if (!array) return;
  const uint64_t at = sector - trace_.trace().arrays[array->array].address / 32;
  if (at >= array->sectors.size()) return;
  SectorTouches& one = array->sectors[at];
  if (one.reads + one.writes == 0) ++array->touched;
  if (record.kind == trace::RecordKind::load) {
    ++one.reads;
    one.last_reader = static_cast<uint16_t>(std::min<size_t>(block + 1, 65535));
  } else {
    ++one.writes;
    one.last_writer = static_cast<uint16_t>(std::min<size_t>(block + 1, 65535));
  }
  array->bytes_used += warp_model::active_lanes(used & ~one.used);
  one.used |= used;
  array->most = std::max(array->most, one.reads + one.writes);
}

void TouchCounter::count(size_t block, const trace::TraceRecord& record) {
  if (++counted_ > Touches::kMostRecords) {
    touches_.complete = false;
    return;
  }
  if (record.space != trace::RecordSpace::global || !record.is_access()) return;
  if (record.shape == trace::RecordShape::runs) {
    for (const TouchedLine& line : footprint_of(record, kMostLines).lines)
      for (const TouchedSector& sector : line.sectors)
        touch(block, record, sector.sector, sector.used);
    return;
  }
  // As footprint_of(), but without a tree: for a million records that takes a tenth of the time.
  asked_.clear();
  for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1) {
    uint64_t at = record.addresses[static_cast<size_t>(std::countr_zero(lanes))];
    for (const uint64_t end = at + record.bytes; at < end;) {
      const uint64_t sector = at / 32, stop = std::min(end, (sector + 1) * 32);
      const auto used = static_cast<uint32_t>(((uint64_t{1} << (stop - at)) - 1) << at % 32);
      if (!asked_.empty() && asked_.back().first == sector)
        asked_.back().second |= used;
      else
        asked_.push_back({sector, used});
      at = stop;
    }
  }
  const auto by_sector = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(asked_.begin(), asked_.end(), by_sector))
    std::sort(asked_.begin(), asked_.end(), by_sector);
  for (size_t i = 0; i < asked_.size();) {
    auto [sector, used] = asked_[i];
    for (++i; i < asked_.size() && asked_[i].first == sector; ++i)
      used |= asked_[i].second;
    touch(block, record, sector, used);
  }
}

Touches TouchCounter::finish() {
  for (ArrayTouches& one : touches_.arrays)
    one.map = heat_map(trace_.trace().arrays[one.array], one);
  return std::move(touches_);
}

}  // namespace ridge::view
