// Records what every warp of a few chosen blocks does to memory, and what it waits for, for the picture: an
// observer that fills an access trace. Blocks that were not chosen cost next to nothing: their accesses may
// go by untold (selective_observer.h).
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

// The blocks that a list names, as trace/environment.h has it, for a grid; "" is the default. Ascending, each
// once. Throws std::runtime_error when a word is none, or a block is outside the grid.
std::vector<uint64_t> choose_blocks(std::string_view words, const std::array<uint32_t, 3>& grid);

// The texts of the files the instructions come from, as far as they can be read: files over 1 MB are left
// out, and all together stay under 8 MB (headers of the toolkit can be long).
std::vector<trace::TraceSource> read_sources(const std::vector<trace::TraceInstruction>& instructions);

// The kernel's __shared__ arrays, with type and shape as far as a declaration in `sources` tells them and
// their size bears it out.
std::vector<trace::TraceArray> shared_arrays(const machine::Program& program, uint64_t dynamic_bytes,
                                             const std::vector<trace::TraceSource>& sources);

struct RecorderOptions {
  std::vector<uint64_t> blocks;  // from choose_blocks()
  // For all records together. Each chosen block has an equal share, so what is left out does not depend on
  // host threads.
  uint64_t limit_bytes = trace::kDefaultTraceLimitBytes;
  // The bytes read and written as well, until they fill half of a block's share: addresses show more.
  bool with_values = false;
  // The array that holds a global address, for the trace's list of arrays; empty = none are listed.
  FindArray find_array;
};

class TraceRecorder : public machine::ObserverFactory {
 public:
  explicit TraceRecorder(RecorderOptions options);
  ~TraceRecorder() override;

  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;

  // After the launch. `launch` comes with everything but instructions and, when it has none, sources; `end`
  // with everything but arrays: they are filled in. Throws std::runtime_error when the file cannot be
  // written.
  void write(const std::filesystem::path& file, trace::TraceLaunch launch, trace::TraceEnd end = {}) const;

  // What came of it, after the launch: "4 blocks, 18,432 records", and what was left out.
  std::string outcome_text() const;

  // One block's records. A block stays with the host thread that it began on, and so does the whole of its
  // cluster: nobody else writes here.
  struct Recording {
    explicit Recording(uint64_t block) : records(block) {}
    trace::BlockRecords records;
  };

 private:
  RecorderOptions options_;
  TouchedArrays arrays_;
  std::vector<std::unique_ptr<Recording>> recordings_;  // as options_.blocks
  const machine::Program* program_ = nullptr;
};

}  // namespace ridge::observe
