// What only the harness knows about a launch: the rung, the lab's names of the arrays, and the
// scene at which the visualizer opens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::trace {

// The record of a trace that shows the idea of a rung: [rung.scene] in lab.toml.
struct TraceScene {
  std::string view;   // an id of kViews (view_table.h); empty: the lab declares no scene
  std::string block;  // "first", "middle", "last", "edge", a linear index or "x,y,z"
  std::string line;   // text in the source line to look at: "tile["; empty: the first access
  std::string kind;   // "load", "store", ...: restricts the accesses of that line; empty: any
  uint32_t warp = 0;  // index in the block
  uint32_t occurrence = 0;  // index among the warp's accesses by that line, from 0
  std::string array;  // the array that the view shows; empty: that of the access
  std::string text;   // one sentence: what the picture shows
};

struct NamedArray {
  uint64_t address = 0, bytes = 0;  // on the device
  std::string name, type, role;     // as in TraceArray
  uint32_t element_bytes = 0;
  std::vector<uint64_t> extent;
};

struct TraceNotes {
  std::string rung;       // "02-coalescing/4-transpose-tiled"; empty: not a rung
  std::string title;      // of the rung, or the program that ran under `ridge exec`
  std::string idea;       // of the rung
  std::string sizes;      // "rows = 1024, cols = 2048"
  bool solution = false;  // the reference solution, not the student's file
  std::string verdict;    // of this run: "PASS", "WRONG", ...
  std::vector<NamedArray> arrays;
  TraceScene scene;
  // For a problem on several devices: the bytes that each must send to others, and why so many:
  // "2 (N - 1) / N of the array". 0: unknown.
  uint64_t ideal_link_bytes = 0;
  std::string ideal_link_formula;
};

}  // namespace ridge::trace
