#include "visualizer/session/analysis/footprint.h"

#include <map>

namespace ridge::view {

uint64_t place_of(const trace::TraceRecord& record, uint32_t lane, uint32_t byte) {
  const uint64_t address = record.addresses[lane] + byte;
  if (record.space != trace::RecordSpace::local) return address;
  return address / 4 * warp_model::kLineBytes + lane * 4 + address % 4;
}

Footprint footprint_of(const trace::TraceRecord& record, size_t most) {
  using warp_model::kSectorBytes;
  std::map<uint64_t, TouchedSector> touched;
  const auto touch = [&](uint64_t from, uint64_t bytes, uint32_t lanes) {
    // Runs can be large: stop far beyond the lines that are shown.
    const uint64_t end = from + std::min<uint64_t>(bytes, most * 2 * warp_model::kLineBytes);
    for (uint64_t at = from; at < end;) {
      const uint64_t sector = at / kSectorBytes, stop = std::min(end, (sector + 1) * kSectorBytes);
      TouchedSector& one = touched[sector];
      one.sector = sector;
      one.lanes |= lanes;
      const uint32_t count = static_cast<uint32_t>(stop - at),
                     first = static_cast<uint32_t>(at % kSectorBytes);
      one.used |= (count == 32 ? ~uint32_t{0} : (uint32_t{1} << count) - 1) << first;
      at = stop;
    }
  };
  if (record.is_access() && record.shape == trace::RecordShape::runs) {
    for (const trace::RecordRuns& runs : record.runs)
      for (uint32_t i = 0; i < std::min<uint32_t>(runs.count, static_cast<uint32_t>(most) * 4); ++i)
        touch(runs.begin_of(i), runs.bytes, 0);
  } else if (record.is_access()) {
    const bool local = record.space == trace::RecordSpace::local;
    for (uint32_t lane = 0; lane < warp_model::kWarpLanes; ++lane) {
      if (!(record.mask >> lane & 1)) continue;
      if (!local) touch(record.addresses[lane], record.bytes, uint32_t{1} << lane);
      for (uint32_t byte = 0; local && byte < record.bytes; ++byte)
        touch(place_of(record, lane, byte), 1, uint32_t{1} << lane);
    }
  }
  Footprint print;
  uint64_t last = ~uint64_t{0};
  for (const auto& [sector, one] : touched) {
    const uint64_t line = sector / 4;
    if (line != last) {
      last = line;
      if (print.lines.size() >= most) {
        ++print.left_out;
        continue;
      }
      print.lines.push_back({line, {}});
    }
    if (print.lines.back().line == line) print.lines.back().sectors.push_back(one);
  }
  return print;
}

}  // namespace ridge::view
