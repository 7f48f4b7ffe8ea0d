#include "visualizer/session/touches.h"

#include "visualizer/session/footprint.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

constexpr uint64_t kMostSectors =
    1u << 24;  // half a gigabyte of array; the rest of a larger one is not shown

ArrayTouches* array_of(std::vector<ArrayTouches>& all, const trace::AccessTrace& trace, uint64_t address) {
  for (ArrayTouches& one : all) {
    const auto& array = trace.arrays[one.array];
    if (address >= array.address / 32 * 32 && address < array.address + array.bytes) return &one;
  }
  return nullptr;
}

}  // namespace

Touches touches_of(const LoadedTrace& loaded, uint64_t most_records) {
  Touches touches;
  const auto& trace = loaded.trace();
  for (size_t i = 0; i < trace.arrays.size(); ++i) {
    const auto& array = trace.arrays[i];
    if (array.space != trace::RecordSpace::global || array.bytes == 0) continue;
    ArrayTouches one;
    one.array = i;
    const uint64_t first = array.address / 32, last = (array.address + array.bytes - 1) / 32;
    one.sectors.resize(std::min(last - first + 1, kMostSectors));
    touches.arrays.push_back(std::move(one));
  }
  uint64_t walked = 0;
  for (const trace::BlockRecords& block : trace.blocks) {
    trace::RecordCursor cursor(block);
    trace::TraceRecord record;
    while (cursor.next(record)) {
      if (++walked > most_records) {
        touches.complete = false;
        break;
      }
      if (record.space != trace::RecordSpace::global || !record.is_access()) continue;
      for (const TouchedLine& line : footprint_of(record, 256).lines)
        for (const TouchedSector& sector : line.sectors) {
          ArrayTouches* array = array_of(touches.arrays, trace, sector.sector * 32);
          if (!array) continue;
          const uint64_t at = sector.sector - trace.arrays[array->array].address / 32;
          if (at >= array->sectors.size()) continue;
          SectorTouches& one = array->sectors[at];
          if (one.reads + one.writes == 0) ++array->touched;
          (record.kind == trace::RecordKind::load ? one.reads : one.writes)++;
          array->bytes_used += warp_model::active_lanes(sector.used & ~one.used);
          one.used |= sector.used;
          one.last_block = block.block();
          array->most = std::max(array->most, one.reads + one.writes);
        }
    }
  }
  return touches;
}

}  // namespace ridge::view
