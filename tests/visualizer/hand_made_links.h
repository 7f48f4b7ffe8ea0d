// Traces of several devices written by hand: a ring in one kernel per device, and a program of
// several steps.
#pragma once

#include <tuple>

#include "tests/visualizer/hand_made.h"

namespace ridge::view {

inline constexpr uint64_t kDeviceBytes = uint64_t{1} << 32, kDeviceBegin = 0x7000000000;

// Device 0 stores 16 bytes per lane to device 1, and loads a word of its own memory between.
inline trace::AccessTrace trace_of_devices(uint32_t devices) {
  std::vector<HandMade> records;
  for (uint64_t launch = 0; launch < 4; ++launch) {
    records.push_back({.base = kDeviceBegin + 512 * launch, .stride = 4});
    records.push_back({.kind = trace::RecordKind::store,
                       .bytes = 16,
                       .base = kDeviceBegin + kDeviceBytes + 512 * launch,
                       .stride = 16,
                       .instruction = 2});
  }
  trace::AccessTrace trace = hand_made_trace(records);
  trace.links.devices = devices;
  for (uint64_t device = 0; device < devices; ++device)
    trace.links.memory.push_back({kDeviceBegin + device * kDeviceBytes, kDeviceBytes});
  return trace;
}

inline trace::LinkCounts stored(uint32_t from, uint32_t to, uint64_t lines, uint64_t signals = 0) {
  return {from,
          to,
          "store",
          128 * lines + 32 * signals,
          lines + signals,
          signals,
          {signals, 0, 0, lines}};
}

// Each device sends 768 lines and 24 signals to the next one; the least is 98,304 bytes.
inline trace::AccessTrace ring_trace(uint32_t devices = 4) {
  trace::AccessTrace trace = trace_of_devices(devices);
  for (uint32_t device = 0; device < devices; ++device)
    trace::add_step(trace.links.steps, device, 0, "ring(Ranks, int)",
                    {stored(device, (device + 1) % devices, 768, 24)});
  trace.notes.ideal_link_bytes = 98304;
  trace.notes.ideal_link_formula = "2 (N - 1) / N of the array";
  trace.report.emplace();
  trace.report->links = trace.links.steps.front().links;
  trace.report->ideal_bytes = 163840, trace.report->peer_ideal_bytes = 65536;
  trace.report->l2_read_sectors = 2048, trace.report->l2_write_sectors = 3096;
  trace.report->dram_read_bytes = 65536;
  for (const auto& [line, kind, bytes] : {std::tuple(10u, "load", 65536u), {12u, "store", 99072u}}) {
    trace::InstructionCounts& counts = trace.report->instructions.emplace_back();
    counts.space = "global", counts.kind = kind, counts.ptx_line = line, counts.line = line - 8;
    counts.bytes = bytes, counts.sectors = counts.ideal_sectors = counts.l2_sectors = bytes / 32;
  }
  return trace;
}

// Every device sends to all others, the higher ones more; device 1 loads from device 0, too, in
// parts of lines.
inline trace::AccessTrace mesh_trace(uint32_t devices) {
  trace::AccessTrace trace = trace_of_devices(devices);
  for (uint32_t from = 0; from < devices; ++from)
    for (uint32_t to = 0; to < devices; ++to)
      if (from != to)
        trace::add_step(trace.links.steps, from, 0, "all_to_all(Ranks)",
                        {stored(from, to, 100 * (from + 1))});
  trace::add_step(trace.links.steps, 1, 0, "all_to_all(Ranks)",
                  {{0, 1, "load", 32000, 700, 0, {500, 150, 50, 0}}});
  trace.notes.ideal_link_bytes = 64000;
  trace.notes.ideal_link_formula = "the rows for other ranks";
  return trace;
}

// A ring whose steps are launches of their own, and copies at the end.
inline trace::AccessTrace steps_trace() {
  trace::AccessTrace trace = trace_of_devices(4);
  for (uint32_t launch = 0; launch < 6; ++launch)
    for (uint32_t device = 0; device < 4; ++device)
      trace::add_step(trace.links.steps, device, launch, "relay(const float*)",
                      {stored(device, (device + 1) % 4, 64 * (launch < 3 ? 1 : 2))});
  trace::add_step(trace.links.steps, 0, 6, "copies", {{0, 2, "copy", 40000, 3, 0, {}}});
  return trace;
}

}  // namespace ridge::view
