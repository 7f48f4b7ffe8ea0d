// The course as data: labs found by their lab.toml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "trace/trace_notes.h"

namespace ridge::course {

// The course's own files are damaged: "labs/01-kernel-basics/lab.toml:12: what is wrong, expected what".
struct CourseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// No such lab or rung: what was asked for, and the nearest names.
struct NotFound : CourseError {
  using CourseError::CourseError;
};

// A limit on a count of the virtual GPU. `count` is a name of harness/measure/counts.h.
struct Gate {
  std::string count;
  std::optional<double> at_most, at_least;
  std::string why;  // one sentence: what the learner is to see when it fails
};

// A file of a rung's family (an earlier rung's solution, the naive or the idle kernel) that passes its gates,
// and why that is right.
struct MayPass {
  std::string file;  // "1-naive", "naive", "idle"
  std::string why;
};

struct Target {  // percent of the baseline on a GPU
  double pass = 0, gold = 0;
};

struct Rung {
  std::string lab;   // "01-kernel-basics"
  std::string name;  // "1-vector-add": the file name without .cu
  std::string title;
  std::string idea;                         // one sentence
  std::string problem;                      // harness/problems/
  std::string entry;                        // the exported C function
  std::string baseline;                     // "device_copy", "cublas_sgemm", ...
  std::vector<std::vector<int64_t>> sizes;  // public sizes; edge and hidden ones are the problem's own
  std::vector<int64_t> virtual_size;        // the size whose counts the gates look at, on the virtual GPU
  // Beside virtual_size a second, hidden size is counted: each extent less 0, 1 or 2 of these, as the
  // grading's seed has it. Empty: virtual_size alone.
  std::vector<int64_t> virtual_step;
  std::vector<int64_t> gpu_size;  // the size that is timed on a GPU
  Target target;
  bool page_is_open = false;  // its worklog page is no spoiler: `ridge read` shows it before a pass
  bool tensor_cores = true;  // false: a file that uses them is refused
  std::vector<Gate> gates;
  std::vector<MayPass> may_pass;
  std::vector<std::string> hints;  // exactly three
  trace::TraceScene scene;         // where the visualizer opens; view "": none is declared
  std::string scene_kernel;        // part of the name of the kernel that is recorded for it; "": the first
  std::filesystem::path skeleton;  // labs/01-kernel-basics/1-vector-add.cu: the file the student edits
  // Of the skeleton's code as the course has it, comments and white space aside (labs/LAB/skeletons.sha256,
  // grade/diagnosis/not_started.h); "": not recorded.
  std::string skeleton_code_sha256;
  std::filesystem::path solution;  // solutions/01-kernel-basics/1-vector-add.cu
  std::string path() const { return lab + "/" + name; }
  // Where headers are searched after the file's own folder: the lab's folder, then labs/include, which holds
  // what several labs include. Folders that do not exist are left out.
  std::vector<std::filesystem::path> include_folders() const;
};

struct Lab {
  std::string name;  // folder name
  int number = 0;
  std::string title, summary;
  std::filesystem::path folder;
  std::vector<Rung> rungs;
};

struct Course {
  std::filesystem::path root;  // the clone
  std::vector<Lab> labs;       // by number
};

// Beside lab.toml: the hash of each skeleton's code.
inline constexpr const char* kSkeletonHashes = "skeletons.sha256";

// Reads labs/*/lab.toml under root. Throws CourseError: file, line, what is wrong, what is allowed there.
Course load(const std::filesystem::path& root);

// "01-kernel-basics/1-vector-add", "01/1", "kernel-basics", a path to a .cu file: the rungs it names.
// Throws NotFound with the nearest names when there is none. Relative paths are looked up from the current
// folder, then from the root.
std::vector<const Rung*> find(const Course& course, const std::string& text);

}  // namespace ridge::course
