// Small traces written by hand, for pictures whose content one can say beforehand.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

struct HandMade {
  trace::RecordKind kind = trace::RecordKind::load;
  trace::RecordSpace space = trace::RecordSpace::global;
  uint32_t mask = 0xffffffffu, bytes = 4, warp = 0;
  uint64_t base = 0x7000000000;
  int64_t stride = 4;
  uint32_t instruction = 0;
  std::array<uint64_t, 32> addresses{};  // of a scattered access; base and stride mean nothing then
  bool is_scattered = false;
};

// An 8 x 32 block; instruction k is line 2 + k of kernel.cu; a float in[4096] at 0x7000000000.
inline trace::AccessTrace hand_made_trace(const std::vector<HandMade>& records) {
  trace::AccessTrace trace;
  trace.launch.kernel = "copy(float*)";
  trace.launch.device = "H200 (virtual)";
  trace.launch.block = {32, 8, 1};
  trace.launch.sources = {
      {"kernel.cu",
       "__global__ void copy(float* in) {\n  float a = in[i];\n  tile[x] = a;\n  out[i] = a;\n}\n"}};
  trace.launch.instructions = {{"kernel.cu", 2, 10, "ld.global.f32"},
                               {"kernel.cu", 3, 11, "st.shared.f32"},
                               {"kernel.cu", 4, 12, "st.global.f32"}};
  trace.arrays.push_back({0x7000000000, 4 * 4096, "cudaMalloc"});
  trace.arrays.back().name = "in";
  trace.arrays.back().type = "float32";
  trace.arrays.back().element_bytes = 4;
  trace::BlockRecords block(0);
  for (const HandMade& one : records) {
    trace::TraceRecord record;
    record.kind = one.kind, record.space = one.space, record.mask = one.mask, record.bytes = one.bytes;
    record.warp = one.warp, record.instruction = one.instruction, record.base = one.base,
    record.stride = one.stride;
    record.shape = one.stride ? trace::RecordShape::strided : trace::RecordShape::uniform;
    for (uint32_t lane = 0; lane < 32; ++lane)
      record.addresses[lane] =
          one.is_scattered ? one.addresses[lane] : one.base + static_cast<uint64_t>(one.stride) * lane;
    if (one.is_scattered) record.shape = trace::RecordShape::scattered;
    block.append(record);
  }
  trace.blocks.push_back(std::move(block));
  return trace;
}
inline std::shared_ptr<LoadedTrace> hand_made(const std::vector<HandMade>& records) {
  return std::make_shared<LoadedTrace>(hand_made_trace(records));
}

}  // namespace ridge::view
