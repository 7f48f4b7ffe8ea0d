// What the golden pictures are of: two small runs of a transpose, a store of runs, a ladder. Made here and
// not recorded, so that no change of a lab or of the virtual GPU changes a picture.
#pragma once

#include <fmt/format.h>

#include "tests/visualizer/hand_made.h"
#include "tests/visualizer/hand_made_links.h"
#include "tests/visualizer/hand_made_runs.h"
#include "visualizer/session/session.h"

namespace ridge::view {

// The transposing kernel of two warps: unit stride loads, a store down a column of the tile, a barrier, loads
// of a row, stores. `stride`: of the global stores, and of the shared ones.
inline std::shared_ptr<LoadedTrace> golden_trace(int64_t stride, int64_t shared_stride) {
  std::vector<HandMade> records;
  for (uint32_t turn = 0; turn < 6; ++turn)
    for (uint32_t warp = 0; warp < 2; ++warp) {
      const uint64_t base = 0x7000000000 + 1024 * turn + 128 * warp;
      records.push_back({.warp = warp, .base = base});
      records.push_back({.kind = trace::RecordKind::store,
                         .space = trace::RecordSpace::shared,
                         .warp = warp,
                         .base = 4 * turn,
                         .stride = shared_stride,
                         .instruction = 1});
      records.push_back(
          {.kind = trace::RecordKind::barrier, .space = trace::RecordSpace::none, .warp = warp});
      records.push_back({.kind = trace::RecordKind::store,
                         .mask = turn == 5 ? 0xfffffu : ~0u,
                         .warp = warp,
                         .base = base,
                         .stride = stride,
                         .instruction = 2});
    }
  return hand_made(records);
}

inline void set_golden_scene(Session& session) {
  session.show(golden_trace(64, 128));
  session.show(golden_trace(4, 132));
  session.swap();
  std::vector<report::StoredRun> runs;
  const auto traffic = [](double useful, double moved) {
    return fmt::format(
        R"("traffic":{{"operations":1e9,"useful_bytes":{},"l1_bytes":{},"l2_bytes":{},"dram_bytes":{},"peak_teraflops":66.9}})",
        useful, moved * 4, moved * 2, moved);
  };
  int64_t number = 0;
  for (const double moved : {3e9, 1e9, 2e8})
    runs.insert(runs.begin(), run_with(++number, false, "{" + traffic(1e8, moved) + "}"));
  runs.insert(
      runs.begin(),
      run_with(++number, true,
                 "{" + traffic(1e8, 2e8) +
                     R"(,"measured":{"time_ms":0.09,"gigabytes_per_second":2200,"gigaflops":11000}})"));
  session.set_runs(std::move(runs));
  auto ladder = std::make_shared<report::Ladder>();
  ladder->title = "Coalescing", ladder->device = "NVIDIA H200";
  for (const auto& [name, student, reference] : {std::tuple("3-transpose-naive", 12.1, 13.2),
                                                 {"4-transpose-tiled", 31.2, 39.6},
                                                 {"5-transpose-padded", 0., 86.5}}) {
    report::LadderRung rung;
    rung.path = fmt::format("02-coalescing/{}", name), rung.title = name,
    rung.idea = "Turn it in shared memory.";
    rung.reference = report::LadderFigure{reference, "median of 4 runs"};
    if (student > 0) rung.student = report::LadderFigure{student, "run 3 of this clone"};
    ladder->rungs.push_back(rung);
  }
  session.set_ladder(std::move(ladder));
  session.playback().go_to(3);  // a store that wastes
  session.playback().rest();
}

// A ring of four devices, seen at a store to the next device.
inline void set_golden_devices(Session& session) {
  session.show(std::make_shared<LoadedTrace>(ring_trace()));
  session.playback().go_to(1);
  session.playback().rest();
}

}  // namespace ridge::view
