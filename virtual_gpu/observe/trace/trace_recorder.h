// Records all memory accesses and waits of the warps of a few selected blocks into an access trace.
// Other blocks cost almost nothing, because their accesses may be elided (selective_observer.h).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/access_trace.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/selective_observer.h"
#include "virtual_gpu/observe/counts/touched_arrays.h"

namespace ridge::observe {

// The blocks of a grid that a list names (trace/environment.h); "" is the default. Ascending, each
// once. Throws std::runtime_error for an invalid word, or a block outside the grid.
std::vector<uint64_t> choose_blocks(std::string_view words, const std::array<uint32_t, 3>& grid);

// The texts of the instructions' source files, as far as they can be read: files over 1 MB are
// omitted, and the total is limited to 8 MB (headers of the toolkit can be long).
std::vector<trace::TraceSource> read_sources(const std::vector<trace::TraceInstruction>& instructions);

// The kernel's __shared__ arrays, with type and shape if `sources` has a declaration that matches
// their size.
std::vector<trace::TraceArray> shared_arrays(const machine::Program& program, uint64_t dynamic_bytes,
                                             const std::vector<trace::TraceSource>& sources);

struct RecorderOptions {
  std::vector<uint64_t> blocks;  // result of choose_blocks()
  // For all records together. Each selected block has an equal share, so what is dropped does not
  // depend on host threads.
  uint64_t limit_bytes = trace::kDefaultTraceLimitBytes;
  // Also records the values, until they fill half of a block's share: addresses are more important.
  bool with_values = false;
  // Returns the array that contains a global address, for the trace's list of arrays; empty = no
  // list.
  FindArray find_array;
};

class TraceRecorder : public machine::ObserverFactory {
 public:
  explicit TraceRecorder(RecorderOptions options);
  ~TraceRecorder() override;

  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;

  // Called after the launch. `launch` has everything but instructions and (optionally) sources,
  // `end` everything but arrays; these are filled in. Throws std::runtime_error when the file
  // cannot be written.
  void write(const std::filesystem::path& file, trace::TraceLaunch launch, trace::TraceEnd end = {}) const;

  // A summary after the launch: "4 blocks, 18,432 records", and what was dropped.
  std::string outcome_text() const;

  // The records of one block. A block and its cluster stay on one host thread, so no other thread
  // writes here.
  struct Recording {
    explicit Recording(uint64_t block) : records(block) {}
    trace::BlockRecords records;
  };

 private:
  RecorderOptions options_;
  TouchedArrays arrays_;
  std::vector<std::unique_ptr<Recording>> recordings_;  // in the order of options_.blocks
  const machine::Program* program_ = nullptr;
};

}  // namespace ridge::observe
