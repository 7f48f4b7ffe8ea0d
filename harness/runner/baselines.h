// What a rung can be timed against: the names that a lab.toml's `baseline` takes, the library each needs, and
// how to get it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::runner {

// A library that a baseline opens with dlopen.
struct LibraryKind {
  std::string_view name;    // "cuBLAS"
  std::string_view soname;  // "libcublas.so.13"
  std::string_view mend;    // how to get it
};

struct BaselineKind {
  std::string_view name;                   // "cublasSgemm"
  std::string_view words;                  // "cuBLAS float32": what tables and verdicts call it
  std::string_view what;                   // one line
  const LibraryKind* library = nullptr;    // nullptr: needs none
  std::string_view module = {};            // of runner/modules, to be compiled first; "": none
  std::vector<std::string_view> problems;  // that it can do; empty: any
  bool does(std::string_view problem) const;
};

std::span<const BaselineKind> baselines();
// Throws std::invalid_argument that lists the names.
const BaselineKind& find_baseline(std::string_view name);

// What a baseline says of itself once it is ready.
struct BaselineTrial {
  std::string name;  // "cublasLt heuristic 3"
  double time_ms = 0;
};
struct BaselineReport {
  std::string library;                // "cuBLAS 13.1.0"
  std::string chosen;                 // of the trials; "" when there was no choice
  std::vector<BaselineTrial> trials;  // each candidate's median, before the rounds
};

}  // namespace ridge::runner
