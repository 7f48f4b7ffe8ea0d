// The course as data, read from the labs' lab.toml files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/course/target.h"
#include "trace/trace_notes.h"

namespace ridge::course {

// A file of the course is damaged: "labs/01-kernel-basics/lab.toml:12: what is wrong, expected
// what".
struct CourseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// No such lab or rung: the text that was asked for, and the nearest names.
struct NotFound : CourseError {
  using CourseError::CourseError;
};

// A limit for a count of the virtual GPU. `count` is a name in harness/measure/counts.h.
struct Gate {
  std::string count;
  std::optional<double> at_most, at_least;
  std::string why;  // one sentence, shown when the gate fails
  // Where it is counted; empty: at virtual_size and at the hidden size.
  std::vector<int64_t> at_size = {};
};

// A file of a rung's family (an earlier rung's solution, the naive or the idle kernel) that may
// pass its gates, and the reason.
struct MayPass {
  std::string file;  // "1-naive", "naive", "idle"
  std::string why;
};

// A second baseline in the same rounds, and how many times as fast the rung must be.
struct SecondBaseline {
  std::string name;  // "": the rung has none
  double at_least = 0;
};

struct Rung {
  std::string lab;   // "01-kernel-basics"
  std::string name;  // "1-vector-add": the file name without .cu
  std::string title;
  std::string idea;                         // one sentence
  std::string problem;                      // a name in harness/problems/
  std::string entry;                        // the exported C function
  // "device_copy", "cublasSgemm", ...; "": the rung is not timed, and a GPU checks it only. It then
  // has no gpu_size, no target and no second baseline.
  std::string baseline;
  // Public sizes; the problem defines edge and hidden sizes.
  std::vector<std::vector<int64_t>> sizes;
  // The numbers of devices that the rung's function is graded on, ascending; the first extent of
  // every size is one of them. Empty: one device.
  std::vector<int> devices;
  // The size at which the virtual GPU counts for the gates.
  std::vector<int64_t> virtual_size;
  // A second, hidden size is counted too: from each extent of virtual_size 0, 1 or 2 steps are
  // subtracted, depending on the grading's seed. Empty: only virtual_size.
  std::vector<int64_t> virtual_step;
  std::vector<int64_t> gpu_size;  // the size that a GPU times
  // A sample is a row of so many calls, each on buffers of its own, and the time of a call is that of
  // the row divided by their number. Above 1 only for several devices, where the events of a sample
  // take longer than a short call.
  int calls_in_a_row = 1;
  Targets target;
  SecondBaseline second;
  // `ridge read` shows its worklog page before a pass, since it is not a spoiler.
  bool page_is_open = false;
  bool tensor_cores = true;  // false: files that use them are refused
  // Above 0: the file's kernels have mistakes to be fixed, and the body of each may differ from the
  // solution's by so many names, numbers and signs; the rest of the file must not (grade/host/kernel_fix.h).
  size_t changed_tokens = 0;
  std::vector<Gate> gates;
  // The largest part of the instructions that one block of each launch may execute at virtual_size
  // (grade/gates/implied_gates.h).
  double busiest_block = 0.3;
  // A size at which the virtual GPU also runs the blocks in another order (grade/gates/other_order.h);
  // empty: at none.
  std::vector<int64_t> other_order;
  std::vector<MayPass> may_pass;
  std::vector<std::string> hints;  // exactly three
  trace::TraceScene scene;         // where the visualizer opens; view "": the rung has no scene
  std::string scene_kernel;        // part of the name of the recorded kernel; "": the first kernel
  std::filesystem::path skeleton;  // labs/01-kernel-basics/1-vector-add.cu: the file the student edits
  // The hash of the original skeleton's code, without comments and white space
  // (labs/LAB/skeletons.sha256, grade/diagnosis/not_started.h); "": not recorded.
  std::string skeleton_code_sha256;
  std::filesystem::path solution;  // solutions/01-kernel-basics/1-vector-add.cu
  std::string path() const { return lab + "/" + name; }
  bool is_timed() const { return !baseline.empty(); }
  int most_devices() const { return devices.empty() ? 1 : devices.back(); }
  // The folders that are searched for headers after the file's own: the lab's folder, then
  // labs/include with the headers that labs share. Missing folders are left out.
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
  std::filesystem::path root;  // root folder of the clone
  std::vector<Lab> labs;       // by number
};

// The file next to lab.toml with the hash of each skeleton's code.
inline constexpr const char* kSkeletonHashes = "skeletons.sha256";

// Reads labs/*/lab.toml under root. Throws CourseError: file, line, what is wrong, what is allowed
// there.
Course load(const std::filesystem::path& root);

// The rungs that a text names: "01-kernel-basics/1-vector-add", "01/1", "kernel-basics", or a path
// to a .cu file. Throws NotFound with the nearest names when there are none. Relative paths are
// resolved in the current folder, then in the root.
std::vector<const Rung*> find(const Course& course, const std::string& text);

}  // namespace ridge::course
