// The protocol between parent and child: one JSON object per packet on a private socket, with bulk
// data in shared memory. Every command has an id; every reply repeats it with the token of the first
// packet.
//
//   {"do": "greet", "token"}
//       -> {"device", "l2_bytes", "free_bytes", "pci_bus_id", "confined"}
//   {"do": "load", "object", "entry", "problem"}
//       -> {}
//   {"do": "case", "sizes", "scalars", "buffers", "map_bytes", "profiled", "page_locked"}
//       -> {"device_ms", "host_ms", "addresses", "left_running", "left_on_default_stream",
//           "left_allocated": [blocks, bytes]},
//          or for a problem in host memory
//          {"host_ms", "host_calls": {of calls/host_calls.h, "first_error": {"code", "name"},
//          and "launch_ms": [...] where the function is to measure its kernel}}
//   {"do": "prepare", "problem", "sizes", "scalars", "sets", "map_bytes", "baseline",
//    "baseline_bytes", "baseline_module", "second", "second_module", "timing_module", "in_a_row",
//    "capture"}
//       -> {"baseline": {"library", "chosen", "trials"}}
//   {"do": "rows", "side", "order", "watched"}  before a pass in rows: captures them; watched: slots
//       -> {"not_captured"}
//   {"do": "pass", "side", "order", "gated"}   every slot once, slot i with the data of set order[i];
//                                              side: "student", "baseline" or "second"
//       -> {"device_ms": [...], "host_ms": [...]}
//   {"do": "renew", "sets"}                    these sets have other inputs, in the shared memory
//       -> {}
//   {"do": "collect", "slot", "windows"}       copies the guards of that slot's buffers, and of each
//                                              buffer the bytes [first, count], to the shared memory
//       -> {}
//   {"do": "roofs"}
//       -> {"copy_gb_per_s", "launch_ms", "fp32_tflops", "read_gb_per_s"}
//
// A reply has "ok". If it is false, "stage" is "load", "setup" (the runner's own call failed, mostly
// because of memory), "missing" (the baseline needs a library that is not installed), "launch"
// (cudaGetLastError after the student's function) or "run" (the synchronisation), and the reply has
// "code", "name" and "text". After a case "refused" is the student's first call that returned an
// error, {"call", "code", "name", "freed_twice"}, or null.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/problems/problem.h"

namespace ridge::runner {

// Outputs are filled with problems::kPoison, the guard bands around every buffer with this byte: as
// a float -4.2e37, which makes any result that uses it wrong.
inline constexpr unsigned char kGuardByte = 0xfc;
inline constexpr int kSocketDescriptor = 3, kMemoryDescriptor = 4, kReportDescriptor = 5;
inline constexpr size_t kLargestPacket = 60'000;

// The position of one buffer in the shared memory. At out_offset: guard, data, guard, as they were
// on the device after the call.
struct BufferPlan {
  int64_t bytes = 0, guard = 0;
  bool read = false, written = false;
  int64_t in_offset = 0, out_offset = 0;
  bool zeroed = false;  // filled with zeros before each call
  int device = 0;       // whose memory it is in
};

// A range of bytes of a buffer.
struct Window {
  int64_t first = 0, count = 0;
};

inline void to_json(nlohmann::json& json, const Window& window) {
  json = {window.first, window.count};
}

inline void from_json(const nlohmann::json& json, Window& window) {
  window = {json.at(0), json.at(1)};
}

inline void to_json(nlohmann::json& json, const BufferPlan& plan) {
  json = {plan.bytes, plan.guard, plan.read, plan.written, plan.in_offset, plan.out_offset,
          plan.zeroed, plan.device};
}

inline void from_json(const nlohmann::json& json, BufferPlan& plan) {
  plan = {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5),
          json.at(6), json.at(7)};
}

// Plans the buffers one after another from `offset`, which is advanced.
std::vector<BufferPlan> plan_buffers(const std::vector<problems::Buffer>& buffers, int64_t guard,
                                     int64_t& offset);
// The same for `count` sets. One set is returned at a time, so all have the same out_offset.
std::vector<std::vector<BufferPlan>> plan_sets(const std::vector<problems::Buffer>& buffers, int64_t guard,
                                               size_t count, int64_t& offset);

}  // namespace ridge::runner
