#include "virtual_gpu/observe/copies/record_fill.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace ridge::observe {
namespace {

using machine::AccessKind;
using machine::AccessShape;
using machine::AccessSpace;
using machine::AsyncStep;
using machine::SyncPlace;
using trace::PlaceKind;
using trace::RecordKind;
using trace::RecordShape;
using trace::RecordSpace;
using trace::RecordUnit;

RecordKind kind_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return RecordKind::load;
    case AccessKind::store:
      return RecordKind::store;
    case AccessKind::atomic:
      return RecordKind::atomic;
    case AccessKind::reduction:
      break;
  }
  return RecordKind::reduction;
}

RecordSpace space_of(AccessSpace space) {
  switch (space) {
    case AccessSpace::global:
      return RecordSpace::global;
    case AccessSpace::shared:
      return RecordSpace::shared;
    case AccessSpace::local:
      return RecordSpace::local;
    case AccessSpace::constant:
      return RecordSpace::constant;
    case AccessSpace::param:
      break;
  }
  return RecordSpace::none;
}

// Searches the whole text, because inline assembly has several instructions in one.
RecordUnit unit_of(std::string_view text) {
  const auto has = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  if (has("wgmma.")) return RecordUnit::matrix;
  if (has("cp.async.bulk.tensor") || has("cp.reduce.async.bulk.tensor")) return RecordUnit::tensor_copy;
  if (has("cp.async.bulk") || has("cp.reduce.async.bulk")) return RecordUnit::bulk_copy;
  if (has("cp.async.") || has("st.async") || has("red.async")) return RecordUnit::async_copy;
  return RecordUnit::threads;
}

}  // namespace

RecordKind kind_of(AsyncStep::Kind kind) {
  switch (kind) {
    case AsyncStep::Kind::issue:
      return RecordKind::issue;
    case AsyncStep::Kind::commit:
      return RecordKind::commit;
    case AsyncStep::Kind::arrive:
      return RecordKind::arrive;
    case AsyncStep::Kind::wait:
      return RecordKind::wait;
    case AsyncStep::Kind::fence:
      return RecordKind::fence;
    case AsyncStep::Kind::waited:
      break;
  }
  return RecordKind::waited;
}

trace::RecordPlace place_of(const SyncPlace& place) {
  constexpr uint64_t kWarps = 32;
  constexpr PlaceKind kGroups[] = {PlaceKind::copy_group, PlaceKind::bulk_group, PlaceKind::matrix_group};
  switch (place.kind) {
    case SyncPlace::Kind::mbarrier:
      return {PlaceKind::mbarrier, place.id, place.phase + 1};
    case SyncPlace::Kind::cluster_barrier:
    case SyncPlace::Kind::cluster_relaxed:
      return {PlaceKind::cluster_barrier, place.block, place.phase + 1};
    case SyncPlace::Kind::bulk_group:
      return {kGroups[std::min<uint64_t>(place.id / kWarps, 2)], place.id % kWarps, place.phase + 1};
    default:
      return {};
  }
}

void clear(trace::TraceRecord& record) {
  record.warp = record.instruction = record.mask = record.other_mask = record.bytes = 0;
  record.kind = RecordKind::load;
  record.space = RecordSpace::none;
  record.shape = RecordShape::uniform;
  record.unit = RecordUnit::threads;
  record.base = record.moved_bytes = 0;
  record.stride = 0;
  record.runs.clear();
  record.receivers.clear();
  record.owner.reset();
  record.place = {};
  record.values.clear();
}

void fill(trace::TraceRecord& record, const machine::Access& access) {
  clear(record);
  record.warp = access.warp;
  record.instruction = access.instruction;
  record.kind = kind_of(access.kind);
  record.space = space_of(access.space);
  record.mask = access.mask;
  record.bytes = access.bytes;
  if (access.space == AccessSpace::shared && access.owner != access.block) record.owner = access.owner;
  if (access.shape == AccessShape::scattered) {
    record.shape = RecordShape::scattered;
    std::copy_n(access.addresses, record.addresses.size(), record.addresses.begin());
    return;
  }
  record.shape = access.shape == AccessShape::uniform ? RecordShape::uniform : RecordShape::strided;
  record.base = access.base;
  record.stride = access.shape == AccessShape::strided ? access.stride : 0;
}

void fill(trace::TraceRecord& record, const machine::BulkAccess& bulk) {
  clear(record);
  record.warp = bulk.warp;
  record.instruction = bulk.instruction;
  record.kind = kind_of(bulk.kind);
  record.space = space_of(bulk.space);
  record.shape = RecordShape::runs;
  record.mask = bulk.mask;
  if (bulk.space == AccessSpace::shared && bulk.owner != bulk.block) record.owner = bulk.owner;
  for (const machine::BulkAccess::Run& run : bulk.runs)
    trace::add_run(record.runs, run.begin, run.bytes);
}

bool has_values(const trace::TraceRecord& record) {
  return record.space == RecordSpace::global || (record.space == RecordSpace::shared && !record.owner);
}

namespace {

uint64_t address_of(const trace::TraceRecord& record, size_t lane) {
  return record.shape == RecordShape::scattered ? record.addresses[lane]
                                                : record.base + static_cast<uint64_t>(record.stride) * lane;
}

const std::byte* at(uint64_t address) {
  return reinterpret_cast<const std::byte*>(address);
}

// Copies lanes of a compile-time size, so that each is a move and not a call.
template <size_t kBytes>
void gather(const trace::TraceRecord& record, uint64_t begin, std::byte* to) {
  for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1, to += kBytes) {
    const auto lane = static_cast<size_t>(std::countr_zero(lanes));
    std::memcpy(to, at(begin + address_of(record, lane)), kBytes);
  }
}

}  // namespace

void read_values(trace::TraceRecord& record, const std::byte* window) {
  const bool shared = record.space == RecordSpace::shared;
  if (!has_values(record) || (shared && window == nullptr)) return;
  // A global address is a host address, a shared one an offset.
  const uint64_t begin = shared ? reinterpret_cast<uint64_t>(window) : 0;
  record.values.resize(size_t{record.bytes} * static_cast<size_t>(std::popcount(record.mask)));
  std::byte* to = record.values.data();
  const bool side_by_side = record.shape == RecordShape::strided && record.mask == ~0u &&
                            record.stride == static_cast<int64_t>(record.bytes);
  if (side_by_side) {
    std::memcpy(to, at(begin + record.base), record.values.size());
    return;
  }
  switch (record.bytes) {
    case 1:
      return gather<1>(record, begin, to);
    case 2:
      return gather<2>(record, begin, to);
    case 4:
      return gather<4>(record, begin, to);
    case 8:
      return gather<8>(record, begin, to);
    case 16:
      return gather<16>(record, begin, to);
    default:
      break;
  }
  for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1, to += record.bytes)
    std::memcpy(to, at(begin + address_of(record, static_cast<size_t>(std::countr_zero(lanes)))),
                record.bytes);
}

InstructionUnits::InstructionUnits(const machine::Program& program) {
  for (const machine::InstructionSource& source : machine::sources(program)) {
    const std::string_view text = source.text;
    units_.push_back(unit_of(text));
    waits_.push_back(text.find("mbarrier.try_wait") != text.npos ||
                     text.find("mbarrier.test_wait") != text.npos);
  }
}

}  // namespace ridge::observe
