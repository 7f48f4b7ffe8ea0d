// The columns of a block's records: encoding and decoding. Redundant data is omitted: the stride of
// a uniform access, the address of an inactive lane.
#include <bit>
#include <stdexcept>

#include "trace/access_trace.h"
#include "trace/byte_stream.h"

namespace ridge::trace {
namespace {

constexpr uint32_t kMaxLaneBytes = 128;
// Column `kinds` holds the kind and the fields that version 1 lacks.
constexpr uint32_t kSeeKinds = 7;
// Flags stored with the kind in that column.
constexpr uint32_t kHasOwner = 32, kHasPlace = 64, kHasReceivers = 128;

bool needs_more(const TraceRecord& record) {
  return record.kind > RecordKind::divergence || record.unit != RecordUnit::threads ||
         record.shape == RecordShape::runs || record.owner || record.place.kind != PlaceKind::none;
}

// Packs kind (or kSeeKinds), space and shape into one byte: 3, 3 and 2 bits.
uint8_t pack_shape(const TraceRecord& record) {
  const uint32_t kind = needs_more(record) ? kSeeKinds : static_cast<uint32_t>(record.kind);
  return static_cast<uint8_t>(kind | static_cast<uint32_t>(record.space) << 3 |
                              static_cast<uint32_t>(record.shape) << 6);
}

template <typename Enum>
Enum enum_of(uint32_t value, Enum last) {
  if (value > static_cast<uint32_t>(last))
    throw std::runtime_error("a record is of a kind that does not exist");
  return static_cast<Enum>(value);
}

}  // namespace

void add_run(std::vector<RecordRuns>& runs, uint64_t begin, uint64_t bytes) {
  if (!runs.empty() && runs.back().bytes == bytes && runs.back().count < RecordRuns::kMostRuns) {
    RecordRuns& last = runs.back();
    const auto step = static_cast<int64_t>(begin - last.begin_of(last.count - 1));
    if (last.count == 1) last.stride = step;
    if (last.stride == step) {
      ++last.count;
      return;
    }
  }
  runs.push_back({begin, bytes, 0, 1});
}

uint64_t bytes_of(std::span<const RecordRuns> runs) {
  uint64_t bytes = 0;
  for (const RecordRuns& each : runs)
    bytes += each.bytes * each.count;
  return bytes;
}

// A million records per second are encoded here, so one-byte values have their own branch.
[[gnu::always_inline]] inline void BlockRecords::put(Column which, uint64_t value) {
  GrowingBytes& column = columns_[which];
  uint8_t* const begin = column.room_for(kMostVarintBytes);
  uint8_t* const end = put_varint(begin, value);
  column.end_at(end);
  packed_bytes_ += static_cast<uint64_t>(end - begin);
}

[[gnu::always_inline]] inline void BlockRecords::put_signed(Column which, int64_t value) {
  put(which, zigzag(value));
}

void BlockRecords::put_bytes(Column which, const void* bytes, size_t size) {
  uint8_t* const begin = columns_[which].room_for(size);
  std::memcpy(begin, bytes, size);
  columns_[which].end_at(begin + size);
  packed_bytes_ += size;
}

void BlockRecords::append(const TraceRecord& record) {
  if (file_) throw std::logic_error("a block that was read from a file takes no more records");
  put_signed(warps, static_cast<int64_t>(record.warp) - last_warp_);
  put_signed(instructions, static_cast<int64_t>(record.instruction) - last_instruction_);
  last_warp_ = record.warp;
  last_instruction_ = record.instruction;
  const uint8_t shape = pack_shape(record);
  put_bytes(shapes, &shape, 1);
  put(masks, ~record.mask);  // a full warp takes one byte
  if (needs_more(record)) append_more(record);
  if (record.kind == RecordKind::divergence) put(other_masks, record.other_mask);
  if (record.is_access()) append_addresses(record);
  ++count_;
}

void BlockRecords::append_more(const TraceRecord& record) {
  const bool has_place = record.place.kind != PlaceKind::none;
  const uint32_t kind = static_cast<uint32_t>(record.kind) | (record.owner ? kHasOwner : 0) |
                        (has_place ? kHasPlace : 0) | (record.receivers.empty() ? 0 : kHasReceivers);
  const uint8_t bytes[] = {static_cast<uint8_t>(kind), static_cast<uint8_t>(record.unit)};
  put_bytes(kinds, bytes, sizeof bytes);
  if (record.owner) put(places, *record.owner);
  if (has_place) {
    put(places, static_cast<uint64_t>(record.place.kind));
    put(places, record.place.id);
    put(places, record.place.phase);
  }
  if (record.kind == RecordKind::issue) put(places, record.moved_bytes);
  if (record.receivers.empty()) return;
  put(places, record.receivers.size());
  for (const uint64_t block : record.receivers)
    put(places, block);
}

void BlockRecords::append_addresses(const TraceRecord& record) {
  if (record.shape == RecordShape::runs) {
    put(runs, record.runs.size());
    for (const RecordRuns& each : record.runs) {
      put_signed(runs, static_cast<int64_t>(each.begin - last_base_));
      put(runs, each.bytes);
      put(runs, each.count);
      if (each.count > 1) put_signed(runs, each.stride);
      last_base_ = each.begin;
    }
    return;
  }
  put(sizes, record.bytes);
  if (record.shape == RecordShape::scattered) {
    for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1) {
      const uint64_t address = record.addresses[static_cast<size_t>(std::countr_zero(lanes))];
      put_signed(scattered, static_cast<int64_t>(address - last_base_));
      last_base_ = address;
    }
  } else {
    put_signed(bases, static_cast<int64_t>(record.base - last_base_));
    last_base_ = record.base;
    if (record.shape == RecordShape::strided) put_signed(strides, record.stride);
  }
  // One byte says whether values follow; their number follows from mask and size.
  const bool has_values =
      !record.values.empty() &&
      record.values.size() == size_t{record.bytes} * static_cast<size_t>(std::popcount(record.mask));
  put(values, has_values);
  if (has_values) put_bytes(values, record.values.data(), record.values.size());
}

uint64_t packed_bytes_at_most(const TraceRecord& record) {
  constexpr uint64_t kVarint64 = 10, kVarint32 = 5;
  uint64_t addresses = 2 * kVarint64;
  if (record.shape == RecordShape::scattered)
    addresses = kVarint64 * static_cast<uint64_t>(std::popcount(record.mask));
  if (record.shape == RecordShape::runs)
    addresses = kVarint64 + (3 * kVarint64 + kVarint32) * record.runs.size();
  // Kind and unit, owner, place, number of bytes, and receivers.
  const uint64_t more = needs_more(record) ? 3 + (5 + record.receivers.size()) * kVarint64 : 0;
  // Warp, instruction, two masks, size; shape and the flag for values.
  return 5 * kVarint32 + 2 + addresses + more + record.values.size();
}

bool RecordCursor::next(TraceRecord& record) {
  return step(record, false);
}

bool RecordCursor::next_brief(TraceRecord& record) {
  return step(record, true);
}

// Reads one column from the cursor's position, and moves the cursor behind the bytes read.
struct RecordCursor::Column {
  Column(RecordCursor& cursor, BlockRecords::Column which)
      : in(cursor.records_->column(which), cursor.position_[which]), position(cursor.position_[which]) {}
  ~Column() { position = in.position(); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  ByteReader in;
  size_t& position;
};

bool RecordCursor::step(TraceRecord& record, bool brief) {
  if (done_ == records_->count_) return false;
  using Of = BlockRecords::Column;
  record.values.clear();
  record.runs.clear();
  record.receivers.clear();
  record.owner.reset();
  record.place = {};
  record.unit = RecordUnit::threads;
  record.other_mask = record.bytes = 0;
  record.base = record.moved_bytes = 0;
  record.stride = 0;
  record.warp = warp_ += static_cast<uint32_t>(Column(*this, Of::warps).in.signed_varint());
  record.instruction = instruction_ +=
      static_cast<uint32_t>(Column(*this, Of::instructions).in.signed_varint());
  const uint32_t packed = Column(*this, Of::shapes).in.byte();
  record.space = enum_of(packed >> 3 & 7, RecordSpace::constant);
  record.shape = enum_of(packed >> 6, RecordShape::runs);
  record.mask = ~Column(*this, Of::masks).in.varint32();
  if ((packed & 7) == kSeeKinds)
    read_more(record);
  else
    record.kind = enum_of(packed & 7, RecordKind::divergence);
  if (record.kind == RecordKind::divergence) record.other_mask = Column(*this, Of::other_masks).in.varint32();
  ++done_;
  if (record.is_access())
    read_addresses(record, brief);
  else if (!brief)
    record.addresses.fill(0);
  return true;
}

void RecordCursor::read_more(TraceRecord& record) {
  using Of = BlockRecords::Column;
  Column kinds(*this, Of::kinds);
  const uint32_t kind = kinds.in.byte();
  record.kind = enum_of(kind & (kHasOwner - 1), RecordKind::fence);
  record.unit = enum_of(kinds.in.byte(), RecordUnit::matrix);
  Column places(*this, Of::places);
  if ((kind & kHasOwner) != 0) record.owner = places.in.varint();
  if ((kind & kHasPlace) != 0) {
    record.place.kind = enum_of(places.in.byte(), PlaceKind::asked_by);
    record.place.id = places.in.varint();
    record.place.phase = places.in.varint();
  }
  if (record.kind == RecordKind::issue) record.moved_bytes = places.in.varint();
  if ((kind & kHasReceivers) == 0) return;
  record.receivers.resize(places.in.count(1));
  for (uint64_t& block : record.receivers)
    block = places.in.varint();
}

void RecordCursor::read_addresses(TraceRecord& record, bool brief) {
  using Of = BlockRecords::Column;
  if (record.shape != RecordShape::strided && !brief) record.addresses.fill(0);
  if (record.shape == RecordShape::runs) {
    Column in(*this, Of::runs);
    record.runs.resize(in.in.count(3));
    for (RecordRuns& each : record.runs) {
      each.begin = base_ += static_cast<uint64_t>(in.in.signed_varint());
      each.bytes = ByteReader::at_most(in.in.varint(), uint64_t{1} << 32, "the bytes of a run");
      each.count = static_cast<uint32_t>(
          ByteReader::at_most(in.in.varint(), RecordRuns::kMostRuns, "a number of runs"));
      each.stride = each.count > 1 ? in.in.signed_varint() : 0;
    }
    return;
  }
  record.bytes = Column(*this, Of::sizes).in.varint32();
  if (record.bytes == 0 || record.bytes > kMaxLaneBytes) {
    throw std::runtime_error("an access has " + std::to_string(record.bytes) +
                             " bytes per lane, 1 to 128 are possible");
  }
  if (record.shape == RecordShape::scattered) {
    Column in(*this, Of::scattered);
    for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1)
      record.addresses[static_cast<size_t>(std::countr_zero(lanes))] = base_ +=
          static_cast<uint64_t>(in.in.signed_varint());
  } else {
    record.base = base_ += static_cast<uint64_t>(Column(*this, Of::bases).in.signed_varint());
    if (record.shape == RecordShape::strided) record.stride = Column(*this, Of::strides).in.signed_varint();
    for (uint64_t lane = 0; lane < 32 && !brief; ++lane)
      record.addresses[lane] = record.base + static_cast<uint64_t>(record.stride) * lane;
  }
  Column in(*this, Of::values);
  if (in.in.byte() == 0) return;
  const uint64_t size = uint64_t{record.bytes} * static_cast<uint64_t>(std::popcount(record.mask));
  const auto bytes = in.in.bytes(size);
  if (brief) return;
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  record.values.assign(first, first + bytes.size());
}

bool RecordCursor::at_end() const {
  if (done_ != records_->count_) return false;
  for (size_t column = 0; column < position_.size(); ++column) {
    if (position_[column] != records_->column(column).size()) return false;
  }
  return true;
}

}  // namespace ridge::trace
