// A small trace with every kind of record in it.
#pragma once

#include <filesystem>
#include <random>

#include "trace/access_trace.h"
#include "trace/trace_sections.h"

inline ridge::trace::TraceLaunch example_launch() {
  ridge::trace::TraceLaunch launch;
  launch.kernel = "transpose_tiled(float*, const float*, int)";
  launch.device = "H200 (virtual)";
  launch.grid = {4, 3, 2};
  launch.block = {32, 4, 1};
  launch.static_shared_bytes = 4096;
  launch.dynamic_shared_bytes = 128;
  launch.registers_per_thread = 32;
  launch.sources = {{"lab.cu", "__global__ void k() {\n}\n"}, {"grid.h", ""}};
  launch.ptx_lines = {".version 9.0", "", "ld.global.f32 %f1, [%rd1];"};
  launch.instructions = {{"lab.cu", 3, 40, "ld.global.f32 %f1, [%rd1];"},
                         {"lab.cu", 4, 44, "bar.sync 0;"},
                         {"", 0, 50, "@%p1 bra $L1;"}};
  return launch;
}

inline std::vector<ridge::trace::TraceRecord> example_records(uint32_t seed, size_t count) {
  using namespace ridge::trace;
  std::mt19937 random(seed);
  std::vector<TraceRecord> records(count);
  for (TraceRecord& record : records) {
    record.warp = random() % 4;
    record.instruction = random() % 3;
    record.kind = static_cast<RecordKind>(random() % 6);
    record.mask = random() % 2 ? 0xffffffffu : static_cast<uint32_t>(random());
    if (record.kind == RecordKind::divergence) record.other_mask = ~record.mask;
    if (record.kind == RecordKind::divergence || record.kind == RecordKind::barrier) continue;
    record.space = static_cast<RecordSpace>(1 + random() % 4);
    record.shape = static_cast<RecordShape>(random() % 3);
    record.bytes = 1u << random() % 5;
    if (record.shape == RecordShape::scattered) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        if (record.mask >> lane & 1)
          record.addresses[lane] = 0x7f0000000000 + random() % 100000 * record.bytes;
      }
    } else {
      record.base = 0x7f0000000000 + random() % 65536;
      record.stride = record.shape == RecordShape::strided ? static_cast<int64_t>(random() % 256) - 128 : 0;
      for (uint64_t lane = 0; lane < 32; ++lane)
        record.addresses[lane] = record.base + static_cast<uint64_t>(record.stride) * lane;
    }
    if (random() % 4 == 0) {
      const auto lanes = static_cast<uint32_t>(__builtin_popcount(record.mask));
      for (uint32_t k = 0; k < record.bytes * lanes; ++k)
        record.values.push_back(static_cast<std::byte>(random()));
    }
  }
  return records;
}

// What version 2 added: a copy engine at work, and a warp that waits for it.
inline std::vector<ridge::trace::TraceRecord> asynchronous_records() {
  using namespace ridge::trace;
  std::vector<TraceRecord> records(6);
  for (TraceRecord& record : records) {
    record.mask = 1;
    record.instruction = 1;
  }
  records[0].kind = RecordKind::init;
  records[0].place = {PlaceKind::mbarrier, 1024, 0};
  records[1].kind = RecordKind::issue;
  records[1].unit = RecordUnit::tensor_copy;
  records[1].place = {PlaceKind::mbarrier, 1024, 0};
  records[1].moved_bytes = 8192;
  records[2].kind = RecordKind::wait;
  records[2].mask = 0xffffffff;
  records[2].place = {PlaceKind::mbarrier, 1024, 0};
  records[3].kind = RecordKind::load;
  records[3].space = RecordSpace::global;
  records[3].unit = RecordUnit::tensor_copy;
  records[3].shape = RecordShape::runs;
  records[3].runs = {{0x7f0000000000, 128, 8192, 64}};
  records[4].kind = RecordKind::store;
  records[4].space = RecordSpace::shared;
  records[4].unit = RecordUnit::tensor_copy;
  records[4].shape = RecordShape::runs;
  records[4].owner = 3;
  records[4].runs = {{2048, 16, -32, 2}, {4096, 16, 0, 1}};
  records[5].kind = RecordKind::waited;
  records[5].mask = 0xffffffff;
  records[5].place = {PlaceKind::mbarrier, 1024, 7};
  return records;
}

// What version 3 added: a copy to several blocks, a fence, and what another block's copy brings.
inline std::vector<ridge::trace::TraceRecord> multicast_records() {
  using namespace ridge::trace;
  std::vector<TraceRecord> records(3);
  records[0].kind = RecordKind::issue;
  records[0].mask = 1;
  records[0].unit = RecordUnit::tensor_copy;
  records[0].place = {PlaceKind::mbarrier, 1024, 0};
  records[0].moved_bytes = 4096;
  records[0].receivers = {0, 1, 7};
  records[1].kind = RecordKind::fence;
  records[1].mask = 0xffffffff;
  records[2].kind = RecordKind::store;
  records[2].space = RecordSpace::shared;
  records[2].unit = RecordUnit::tensor_copy;
  records[2].shape = RecordShape::runs;
  records[2].runs = {{2048, 128, 256, 4}};
  records[2].place = {PlaceKind::asked_by, 1, 0};
  return records;
}

inline ridge::trace::TraceNotes example_notes() {
  ridge::trace::TraceNotes notes;
  notes.rung = "02-coalescing/4-transpose-tiled";
  notes.title = "Transpose through a tile";
  notes.sizes = "rows = 128, cols = 128";
  notes.solution = true;
  notes.verdict = "PASS";
  notes.arrays = {{0x7f0000000000, 65536, "in", "float32", "input", 4, {128, 128}},
                  {0x7f0000200000, 64, "never_touched", "float32", "output", 4, {16}}};
  notes.scene = {"banks", "first", "void k", "load", 2, 1, "in", "Look."};
  return notes;
}

inline ridge::trace::BlockRecords packed(uint64_t block,
                                         const std::vector<ridge::trace::TraceRecord>& records) {
  ridge::trace::BlockRecords result(block);
  for (const ridge::trace::TraceRecord& record : records)
    result.append(record);
  return result;
}

inline bool same(const ridge::trace::TraceRecord& a, const ridge::trace::TraceRecord& b) {
  return a.warp == b.warp && a.instruction == b.instruction && a.kind == b.kind && a.space == b.space &&
         a.shape == b.shape && a.mask == b.mask && a.other_mask == b.other_mask && a.bytes == b.bytes &&
         a.base == b.base && a.stride == b.stride && a.addresses == b.addresses && a.values == b.values &&
         a.unit == b.unit && a.runs == b.runs && a.owner == b.owner && a.place == b.place &&
         a.moved_bytes == b.moved_bytes && a.receivers == b.receivers;
}

// Two blocks of so many records each.
inline void write_example(const std::filesystem::path& file, size_t records = 300,
                          uint64_t limit = ridge::trace::kDefaultTraceLimitBytes) {
  ridge::trace::AccessTraceWriter writer(file, example_launch(), limit);
  writer.add_block(packed(0, example_records(1, records)));
  std::vector<ridge::trace::TraceRecord> second = example_records(2, records);
  writer.add_block(packed(23, second));
  ridge::trace::TraceEnd end;
  end.arrays = {{0x7f0000000000, 65536, "cudaMalloc"}, {0x7f0000100000, 16, "__device__ int counter"}};
  end.placement = {132, 4, {2, 1, 1}};
  end.report = ridge::trace::LaunchReport{};
  end.report->kernel = "transpose_tiled";
  end.report->l2_read_sectors = 77;
  writer.finish(end);
}

// Three devices: a kernel on two of them, and copies before it.
inline ridge::trace::DeviceLinks example_links() {
  using namespace ridge::trace;
  DeviceLinks links;
  links.devices = 3;
  links.recorded_device = 1;
  links.memory = {{0x7000000000, 1 << 20}, {0x7000100000, 1 << 20}, {0x7000200000, 1 << 20}};
  add_step(links.steps, 1, 1, "ring(Ranks, int)", {{1, 2, "store", 4096, 32, 0, {0, 0, 0, 32}}});
  add_step(links.steps, 0, 0, "copies", {{0, 2, "copy", 1 << 30, 2, 0, {}}});
  add_step(links.steps, 0, 1, "ring(Ranks, int)",
           {{0, 1, "store", 128, 4, 4, {4, 0, 0, 0}}, {2, 0, "load", 96, 1, 1, {0, 0, 1, 0}}});
  return links;
}

// Puts the right checksum under changed bytes, so that damage reaches the parser behind it.
inline void fix_checksum(std::vector<uint8_t>& bytes) {
  const uint64_t sum = ridge::trace::trace_checksum(bytes.data(), bytes.size() - 16);
  for (size_t k = 0; k < 8; ++k)
    bytes[bytes.size() - 16 + k] = static_cast<uint8_t>(sum >> (8 * k));
}
