#include "trace/trace_sections.h"

#include <stdexcept>

#include "trace/byte_stream.h"

namespace ridge::trace {
namespace {

using Bytes = std::vector<uint8_t>;

template <typename T, typename Put>
Bytes pack_list(const std::vector<T>& items, Put put) {
  Bytes out;
  put_varint(out, items.size());
  for (const T& item : items)
    put(out, item);
  return out;
}

template <typename T, typename Get>
std::vector<T> unpack_list(std::span<const uint8_t> bytes, uint64_t least_bytes_each, Get get) {
  ByteReader in(bytes);
  std::vector<T> items(in.count(least_bytes_each));
  for (T& item : items)
    get(in, item);
  return items;
}

}  // namespace

Bytes pack_launch(const TraceLaunch& launch) {
  Bytes out;
  put_text(out, launch.kernel);
  put_text(out, launch.device);
  for (uint32_t extent : launch.grid)
    put_varint(out, extent);
  for (uint32_t extent : launch.block)
    put_varint(out, extent);
  put_varint(out, launch.static_shared_bytes);
  put_varint(out, launch.dynamic_shared_bytes);
  put_varint(out, launch.registers_per_thread);
  return out;
}

void unpack_launch(std::span<const uint8_t> bytes, TraceLaunch& launch) {
  ByteReader in(bytes);
  launch.kernel = in.text();
  launch.device = in.text();
  for (uint32_t& extent : launch.grid)
    extent = in.varint32();
  for (uint32_t& extent : launch.block)
    extent = in.varint32();
  launch.static_shared_bytes = in.varint32();
  launch.dynamic_shared_bytes = in.varint32();
  launch.registers_per_thread = in.varint32();
  // Check CUDA's limits so that products of extents cannot overflow later.
  const auto& [gx, gy, gz] = launch.grid;
  const auto& [bx, by, bz] = launch.block;
  const bool grid_fits = gx - 1 < 0x7fffffff && gy - 1 < 65535 && gz - 1 < 65535;
  const bool block_fits = bx - 1 < 1024 && by - 1 < 1024 && bz - 1 < 1024 && uint64_t{bx} * by * bz <= 1024;
  if (!grid_fits || !block_fits) throw std::runtime_error("the grid or block has an impossible size");
}

Bytes pack_sources(const std::vector<TraceSource>& sources) {
  return pack_list(sources, [](Bytes& out, const TraceSource& source) {
    put_text(out, source.path);
    put_text(out, source.text);
  });
}

std::vector<TraceSource> unpack_sources(std::span<const uint8_t> bytes) {
  return unpack_list<TraceSource>(bytes, 2, [](ByteReader& in, TraceSource& source) {
    source.path = in.text();
    source.text = in.text();
  });
}

Bytes pack_lines(const std::vector<std::string>& lines) {
  return pack_list(lines, [](Bytes& out, const std::string& line) { put_text(out, line); });
}

std::vector<std::string> unpack_lines(std::span<const uint8_t> bytes) {
  return unpack_list<std::string>(bytes, 1, [](ByteReader& in, std::string& line) { line = in.text(); });
}

Bytes pack_instructions(const std::vector<TraceInstruction>& instructions) {
  return pack_list(instructions, [](Bytes& out, const TraceInstruction& instruction) {
    put_text(out, instruction.file);
    put_varint(out, instruction.line);
    put_varint(out, instruction.ptx_line);
    put_text(out, instruction.text);
  });
}

std::vector<TraceInstruction> unpack_instructions(std::span<const uint8_t> bytes) {
  return unpack_list<TraceInstruction>(bytes, 4, [](ByteReader& in, TraceInstruction& instruction) {
    instruction.file = in.text();
    instruction.line = in.varint32();
    instruction.ptx_line = in.varint32();
    instruction.text = in.text();
  });
}

std::vector<std::span<const uint8_t>> BlockSection::pack(const BlockRecords& records, Bytes& heads) {
  heads.clear();
  put_varint(heads, records.block_);
  put_varint(heads, records.count_);
  put_varint(heads, records.dropped_);
  put_varint(heads, records.without_values_);
  std::array<size_t, BlockRecords::kColumns> ends;  // end offset of each column's bytes
  for (size_t which = 0; which < BlockRecords::kColumns; ++which) {
    put_varint(heads, records.column(which).size());
    ends[which] = heads.size();
  }
  std::vector<std::span<const uint8_t>> pieces;
  size_t begin = 0;
  for (size_t which = 0; which < BlockRecords::kColumns; begin = ends[which++]) {
    pieces.push_back(std::span(heads).subspan(begin, ends[which] - begin));
    pieces.push_back(records.column(which));
  }
  return pieces;
}

BlockRecords BlockSection::unpack(std::span<const uint8_t> bytes, uint32_t version,
                                  const std::shared_ptr<const uint8_t[]>& file) {
  ByteReader in(bytes);
  BlockRecords records(in.varint());
  records.count_ = in.count();
  records.dropped_ = in.varint();
  if (version > 1) records.without_values_ = in.varint();
  const size_t columns = version == 1 ? BlockRecords::kColumnsOfVersion1 : BlockRecords::kColumns;
  records.file_ = file;
  for (size_t which = 0; which < columns; ++which) {
    records.in_file_[which] = in.bytes(in.varint());
    records.packed_bytes_ += records.in_file_[which].size();
  }
  return records;
}

RecordCheck::RecordCheck(const TraceLaunch& launch)
    : last_block_(launch.blocks() - 1),
      last_warp_((uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] + 31) / 32 - 1),
      instructions_(launch.instructions.size()) {}

void RecordCheck::check_block(uint64_t block) const {
  ByteReader::at_most(block, last_block_, "a block's index");
}

void RecordCheck::check(const TraceRecord& record) const {
  if (record.owner) check_block(*record.owner);
  if (record.is_received()) check_block(record.place.id);
  for (const uint64_t receiver : record.receivers)
    check_block(receiver);
  ByteReader::at_most(record.warp, last_warp_, "a warp's index");
  if (record.instruction < instructions_) return;
  throw std::runtime_error("a record names instruction " + std::to_string(record.instruction) + " of " +
                           std::to_string(instructions_));
}

void RecordCheck::check_end(const RecordCursor& cursor) {
  if (!cursor.at_end()) throw std::runtime_error("the columns of a block have different lengths");
}

void check_records(const BlockRecords& records, const TraceLaunch& launch) {
  const RecordCheck check(launch);
  check.check_block(records.block());
  RecordCursor cursor(records);
  TraceRecord record;
  while (cursor.next_brief(record))
    check.check(record);
  RecordCheck::check_end(cursor);
}

}  // namespace ridge::trace
