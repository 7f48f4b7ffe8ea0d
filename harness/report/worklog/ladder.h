// A lab's ladder: the percentage of the library for every rung, the student's and the reference's.
// Combines course/measured and the store, without types of the course, for programs that only draw
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/report/store/store.h"

namespace ridge::report {

struct LadderFigure {
  double percent = 0;
  std::string source;  // "run 12 of this clone", "median of 4 runs in course/measured/nvidia-h200"
  int runs = 1;        // of which it is the median
};

struct LadderRung {
  std::string path, title, idea, baseline;  // "02-coalescing/4-transpose-tiled"
  double pass = 0, gold = 0;                // percent, on the device
  std::optional<LadderFigure> student;      // the best passing version measured on the device
  std::optional<LadderFigure> reference;
  int64_t runs = 0;     // number of the student's runs, on any engine
  bool passed = false;  // at any time, on any engine
  // JSON as in StoredRun::figures: the course's run closest to the median.
  std::string reference_figures = {};
};

struct Ladder {
  std::string lab, title, device;  // device: its product name
  std::vector<LadderRung> rungs;
  bool references_only = false;  // a chart of the course without a student's versions
};

// A measured result's name in course/measured/superseded.toml, with its rung in front. `file` is
// relative to course/measured: "08-embedding/4-embedding-bag nvidia-h100/08-embedding.run1.json 79.9".
std::string result_name(const std::string& rung, const std::string& file, double percent);

// The names of the results that superseded.toml lists: they are of an earlier solution or of
// another way of timing. Empty without that file. Throws std::runtime_error when it is damaged, or
// when a group has no reason.
std::set<std::string> superseded_results(const std::filesystem::path& root);

// The product name of the device whose results represent a lab in the course: the H200 if it
// measured any rung of the lab, otherwise the device that measured most of them. Results are those
// of course/measured/*/LAB.runN.json that are not superseded. Empty: there are none.
std::string measured_device(const std::filesystem::path& root, const std::string& lab);

// Throws course::CourseError when the course's files are damaged, std::runtime_error when
// superseded.toml is; a missing lab has no rungs.
// `device` is a product name: "NVIDIA H200".
Ladder read_ladder(const std::filesystem::path& root, const std::string& lab, const std::string& device,
                   std::span<const StoredRun> runs);

}  // namespace ridge::report
