// A lab's ladder: every rung's share of the library, the student's beside the reference's. What
// course/measured holds and what the store holds, without a course's types, for programs that only draw it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/store/store.h"

namespace ridge::report {

struct LadderFigure {
  double percent = 0;
  std::string source;  // "run 12 of this clone", "median of 4 runs in course/measured/nvidia-h200"
};

struct LadderRung {
  std::string path, title, idea, baseline;  // "02-coalescing/4-transpose-tiled"
  double pass = 0, gold = 0;                // percent
  std::optional<LadderFigure> student;      // the best that passed, measured on the device
  std::optional<LadderFigure> reference;
  int64_t runs = 0;     // the student's, on any engine
  bool passed = false;  // ever, on any engine
  std::string reference_figures = {};  // JSON, as StoredRun::figures: the course's run nearest the median
};

struct Ladder {
  std::string lab, title, device;  // device: its product name
  std::vector<LadderRung> rungs;
  bool references_only = false;  // a chart of the course: nobody's versions stand beside them
};

// Throws course::CourseError when the course's own files are damaged; a lab that is not there has no rungs.
// `device` is a product name: "NVIDIA H200".
Ladder read_ladder(const std::filesystem::path& root, const std::string& lab, const std::string& device,
                   std::span<const StoredRun> runs);

}  // namespace ridge::report
