// What only the harness knows of a launch: the rung, the lab's names of the arrays, and the scene at which
// the visualizer opens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::trace {

// The moment of a trace that shows what a rung is about: [rung.scene] in lab.toml.
struct TraceScene {
  std::string view;   // an id of kViews (view_table.h); empty: the lab declares no scene
  std::string block;  // "first", "middle", "last", "edge", a linear index or "x,y,z"
  std::string line;   // text that stands in the source line to look at: "tile["; empty: the first access
  std::string kind;   // "load", "store", ...: of the accesses of that line; empty: any
  uint32_t warp = 0;  // of the block
  uint32_t turn = 0;  // which of the warp's accesses by that line, from 0
  std::string array;  // the array the view is about; empty: that of the access
  std::string text;   // one sentence: what is to be seen
};

struct NamedArray {
  uint64_t address = 0, bytes = 0;  // on the device
  std::string name, type, role;     // as TraceArray has them
  uint32_t element_bytes = 0;
  std::vector<uint64_t> extent;
};

struct TraceNotes {
  std::string rung;       // "02-coalescing/4-transpose-tiled"; empty: not of a rung
  std::string title;      // of the rung, or the program that ran under `ridge exec`
  std::string idea;       // of the rung
  std::string sizes;      // "rows = 1024, cols = 2048"
  bool solution = false;  // of the reference, not the learner's file
  std::string verdict;    // of this very run: "PASS", "WRONG", ...
  std::vector<NamedArray> arrays;
  TraceScene scene;
};

}  // namespace ridge::trace
