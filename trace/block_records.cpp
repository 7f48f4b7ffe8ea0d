// The columns of a block's records: what is written for a record, and how it is read again. Nothing is
// written that follows from the rest: no stride for a uniform access, no address for an inactive lane.
#include <bit>
#include <stdexcept>

#include "trace/access_trace.h"
#include "trace/byte_stream.h"

namespace ridge::trace {
namespace {

constexpr uint32_t kMaxLaneBytes = 128;

bool is_access(RecordKind kind) {
  return kind <= RecordKind::reduction;
}

// kind, space and shape in one byte: 0..5, 0..4, 0..2.
uint8_t pack_shape(const TraceRecord& record) {
  return static_cast<uint8_t>(static_cast<uint32_t>(record.kind) | static_cast<uint32_t>(record.space) << 3 |
                              static_cast<uint32_t>(record.shape) << 6);
}

void unpack_shape(uint8_t packed, TraceRecord& record) {
  const uint32_t kind = packed & 7, space = packed >> 3 & 7, shape = packed >> 6;
  if (kind > static_cast<uint32_t>(RecordKind::divergence) ||
      space > static_cast<uint32_t>(RecordSpace::constant) ||
      shape > static_cast<uint32_t>(RecordShape::scattered)) {
    throw std::runtime_error("a record is of a kind that does not exist");
  }
  record.kind = static_cast<RecordKind>(kind);
  record.space = static_cast<RecordSpace>(space);
  record.shape = static_cast<RecordShape>(shape);
}

}  // namespace

void BlockRecords::append(const TraceRecord& record) {
  uint64_t before = 0, after = 0;
  for (const auto& column : columns_)
    before += column.size();

  put_signed(columns_[warps], static_cast<int64_t>(record.warp) - last_warp_);
  put_signed(columns_[instructions], static_cast<int64_t>(record.instruction) - last_instruction_);
  last_warp_ = record.warp;
  last_instruction_ = record.instruction;
  columns_[shapes].push_back(pack_shape(record));
  put_varint(columns_[masks], ~record.mask);  // a full warp is one byte
  if (record.kind == RecordKind::divergence) put_varint(columns_[other_masks], record.other_mask);
  if (is_access(record.kind)) {
    put_varint(columns_[sizes], record.bytes);
    if (record.shape == RecordShape::scattered) {
      for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1) {
        const uint64_t address = record.addresses[static_cast<size_t>(std::countr_zero(lanes))];
        put_signed(columns_[scattered], static_cast<int64_t>(address - last_base_));
        last_base_ = address;
      }
    } else {
      put_signed(columns_[bases], static_cast<int64_t>(record.base - last_base_));
      last_base_ = record.base;
      if (record.shape == RecordShape::strided) put_signed(columns_[strides], record.stride);
    }
    // One byte says whether values follow; their number is known.
    const bool has_values =
        !record.values.empty() &&
        record.values.size() == size_t{record.bytes} * static_cast<size_t>(std::popcount(record.mask));
    columns_[values].push_back(has_values);
    if (has_values) {
      const auto* first = reinterpret_cast<const uint8_t*>(record.values.data());
      columns_[values].insert(columns_[values].end(), first, first + record.values.size());
    }
  }
  ++count_;
  for (const auto& column : columns_)
    after += column.size();
  packed_bytes_ += after - before;
}

uint64_t packed_bytes_at_most(const TraceRecord& record) {
  constexpr uint64_t kVarint64 = 10, kVarint32 = 5;
  const uint64_t addresses = record.shape == RecordShape::scattered
                                 ? kVarint64 * static_cast<uint64_t>(std::popcount(record.mask))
                                 : 2 * kVarint64;
  // warp, instruction, two masks, size; shape and the values' flag
  return 5 * kVarint32 + 2 + addresses + record.values.size();
}

bool RecordCursor::next(TraceRecord& record) {
  if (done_ == records_->count_) return false;
  using Column = BlockRecords::Column;
  const auto from = [&](Column column, auto read) {
    ByteReader in(records_->columns_[column], position_[column]);
    const auto value = read(in);
    position_[column] = in.position();
    return value;
  };
  const auto number = [](ByteReader& in) { return in.varint32(); };
  const auto difference = [](ByteReader& in) { return in.signed_varint(); };

  record.values.clear();
  record.addresses.fill(0);
  record.other_mask = record.bytes = 0;
  record.base = 0;
  record.stride = 0;
  record.warp = warp_ += static_cast<uint32_t>(from(Column::warps, difference));
  record.instruction = instruction_ += static_cast<uint32_t>(from(Column::instructions, difference));
  unpack_shape(from(Column::shapes, [](ByteReader& in) { return in.bytes(1)[0]; }), record);
  record.mask = ~from(Column::masks, number);
  if (record.kind == RecordKind::divergence) record.other_mask = from(Column::other_masks, number);
  ++done_;
  if (!is_access(record.kind)) return true;

  record.bytes = from(Column::sizes, number);
  if (record.bytes == 0 || record.bytes > kMaxLaneBytes) {
    throw std::runtime_error("an access has " + std::to_string(record.bytes) +
                             " bytes a lane, 1 to 128 are possible");
  }
  if (record.shape == RecordShape::scattered) {
    for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1) {
      base_ += static_cast<uint64_t>(from(Column::scattered, difference));
      record.addresses[static_cast<size_t>(std::countr_zero(lanes))] = base_;
    }
  } else {
    record.base = base_ += static_cast<uint64_t>(from(Column::bases, difference));
    if (record.shape == RecordShape::strided) record.stride = from(Column::strides, difference);
    for (uint64_t lane = 0; lane < 32; ++lane) {
      record.addresses[lane] = record.base + static_cast<uint64_t>(record.stride) * lane;
    }
  }
  if (from(Column::values, [](ByteReader& in) { return in.bytes(1)[0]; }) != 0) {
    const uint64_t size = uint64_t{record.bytes} * static_cast<uint64_t>(std::popcount(record.mask));
    const auto bytes = from(Column::values, [&](ByteReader& in) { return in.bytes(size); });
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    record.values.assign(first, first + bytes.size());
  }
  return true;
}

bool RecordCursor::at_end() const {
  if (done_ != records_->count_) return false;
  for (size_t column = 0; column < position_.size(); ++column) {
    if (position_[column] != records_->columns_[column].size()) return false;
  }
  return true;
}

}  // namespace ridge::trace
