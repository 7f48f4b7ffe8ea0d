// The sections that describe a launch: arrays with names and shapes, notes, placement of blocks.
#include <algorithm>
#include <stdexcept>

#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

namespace ridge::trace {
namespace {

using Bytes = std::vector<uint8_t>;

void put_extent(Bytes& out, const std::vector<uint64_t>& extent) {
  put_varint(out, extent.size());
  for (const uint64_t each : extent)
    put_varint(out, each);
}

std::vector<uint64_t> get_extent(ByteReader& in) {
  std::vector<uint64_t> extent(in.count());
  for (uint64_t& each : extent)
    each = in.varint();
  return extent;
}

void check_end(uint64_t address, uint64_t bytes) {
  if (address + bytes < address) throw std::runtime_error("an array ends beyond the last address");
}

// Pictures compute rows from the extents, so extents whose product is not the array's size are
// removed.
void check_shape(TraceArray& array) {
  uint64_t elements = 1;
  for (const uint64_t each : array.extent) {
    if (each == 0 || elements > array.bytes / each) {
      array.extent.clear();
      return;
    }
    elements *= each;
  }
  if (array.element_bytes == 0 || elements > array.bytes / array.element_bytes) array.extent.clear();
}

}  // namespace

Bytes pack_arrays(const std::vector<TraceArray>& arrays) {
  Bytes out;
  put_varint(out, arrays.size());
  for (const TraceArray& array : arrays) {
    put_varint(out, array.address);
    put_varint(out, array.bytes);
    put_text(out, array.origin);
    out.push_back(static_cast<uint8_t>(array.space));
    put_text(out, array.name);
    put_text(out, array.type);
    put_varint(out, array.element_bytes);
    put_extent(out, array.extent);
    put_text(out, array.role);
  }
  return out;
}

std::vector<TraceArray> unpack_arrays(std::span<const uint8_t> bytes, uint32_t version) {
  ByteReader in(bytes);
  std::vector<TraceArray> arrays(in.count(version == 1 ? 3 : 9));
  for (TraceArray& array : arrays) {
    array.address = in.varint();
    array.bytes = in.varint();
    array.origin = in.text();
    check_end(array.address, array.bytes);
    if (version == 1) continue;
    array.space = static_cast<RecordSpace>(ByteReader::at_most(
        in.bytes(1)[0], static_cast<uint64_t>(RecordSpace::constant), "the space of an array"));
    array.name = in.text();
    array.type = in.text();
    array.element_bytes = in.varint32();
    array.extent = get_extent(in);
    array.role = in.text();
    check_shape(array);
  }
  return arrays;
}

Bytes pack_notes(const TraceNotes& notes) {
  Bytes out;
  for (const std::string* text : {&notes.rung, &notes.title, &notes.idea, &notes.sizes, &notes.verdict})
    put_text(out, *text);
  out.push_back(notes.solution);
  put_varint(out, notes.arrays.size());
  for (const NamedArray& array : notes.arrays) {
    put_varint(out, array.address);
    put_varint(out, array.bytes);
    put_text(out, array.name);
    put_text(out, array.type);
    put_text(out, array.role);
    put_varint(out, array.element_bytes);
    put_extent(out, array.extent);
  }
  const TraceScene& scene = notes.scene;
  for (const std::string* text :
       {&scene.view, &scene.block, &scene.line, &scene.kind, &scene.array, &scene.text})
    put_text(out, *text);
  put_varint(out, scene.warp);
  put_varint(out, scene.occurrence);
  put_varint(out, notes.ideal_link_bytes);
  put_text(out, notes.ideal_link_formula);
  return out;
}

TraceNotes unpack_notes(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  TraceNotes notes;
  for (std::string* text : {&notes.rung, &notes.title, &notes.idea, &notes.sizes, &notes.verdict})
    *text = in.text();
  notes.solution = in.bytes(1)[0] != 0;
  notes.arrays.resize(in.count(7));
  for (NamedArray& array : notes.arrays) {
    array.address = in.varint();
    array.bytes = in.varint();
    check_end(array.address, array.bytes);
    array.name = in.text();
    array.type = in.text();
    array.role = in.text();
    array.element_bytes = in.varint32();
    array.extent = get_extent(in);
  }
  TraceScene& scene = notes.scene;
  for (std::string* text : {&scene.view, &scene.block, &scene.line, &scene.kind, &scene.array, &scene.text})
    *text = in.text();
  scene.warp = in.varint32();
  scene.occurrence = in.varint32();
  if (in.remaining() == 0) return notes;  // written before these were known
  notes.ideal_link_bytes = in.varint();
  notes.ideal_link_formula = in.text();
  return notes;
}

Bytes pack_placement(const BlockPlacement& placement) {
  Bytes out;
  put_varint(out, placement.multiprocessors);
  put_varint(out, placement.blocks_per_sm);
  for (const uint32_t extent : placement.cluster)
    put_varint(out, extent);
  return out;
}

BlockPlacement unpack_placement(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  BlockPlacement placement;
  placement.multiprocessors = in.varint32();
  placement.blocks_per_sm = in.varint32();
  for (uint32_t& extent : placement.cluster)
    extent = in.varint32();
  return placement;
}

void name_arrays(std::vector<TraceArray>& arrays, const TraceNotes& notes) {
  for (const NamedArray& named : notes.arrays) {
    auto found = std::find_if(arrays.begin(), arrays.end(), [&](const TraceArray& array) {
      return array.space == RecordSpace::global && array.address == named.address;
    });
    if (found == arrays.end()) {
      TraceArray added;
      added.address = named.address;
      added.bytes = named.bytes;
      found = arrays.insert(arrays.end(), std::move(added));
    }
    found->name = named.name;
    found->type = named.type;
    found->role = named.role;
    found->element_bytes = named.element_bytes;
    found->extent = named.extent;
    check_shape(*found);
  }
  std::sort(arrays.begin(), arrays.end(), [](const TraceArray& a, const TraceArray& b) {
    return a.space != b.space ? a.space < b.space : a.address < b.address;
  });
}

}  // namespace ridge::trace
