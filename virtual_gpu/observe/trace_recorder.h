// Records what every warp of a few chosen blocks does to memory, for the picture: an observer that fills an
// access trace. Blocks that were not chosen cost one comparison an access.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/access_trace.h"
#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

// "first,middle,last" or linear indices "0,5,9" or both, for a grid of so many blocks; "" is
// "first,middle,last". Ascending, each once. Throws std::runtime_error when a word is neither, or an index is
// outside the grid.
std::vector<uint64_t> choose_blocks(std::string_view words, uint64_t blocks_in_grid);

// The texts of the files the instructions come from, as far as they can be read: files over 1 MB are left
// out, and all together stay under 8 MB (headers of the toolkit can be long).
std::vector<trace::TraceSource> read_sources(const std::vector<trace::TraceInstruction>& instructions);

struct RecorderOptions {
  std::vector<uint64_t> blocks;  // from choose_blocks()
  // For all records together. Each chosen block has an equal share, so what is left out does not depend on
  // host threads.
  uint64_t limit_bytes = trace::kDefaultTraceLimitBytes;
  bool with_values = false;  // the bytes read and written as well
  // The array that holds a global address, for the trace's list of arrays; empty = none are listed.
  std::function<std::optional<trace::TraceArray>(uint64_t address)> find_array;
};

class TraceRecorder : public machine::ObserverFactory {
 public:
  explicit TraceRecorder(RecorderOptions options);
  ~TraceRecorder() override;

  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;

  // After the launch. `launch` comes with everything but instructions and, when it has none, sources: they
  // are filled in. Throws std::runtime_error when the file cannot be written.
  void write(const std::filesystem::path& file, trace::TraceLaunch launch) const;

  // One block's records. A block runs on one host thread at a time but may move between them.
  struct Recording {
    explicit Recording(uint64_t block) : records(block) {}
    std::mutex mutex;
    trace::BlockRecords records;
  };

 private:
  std::vector<trace::TraceArray> arrays() const;

  RecorderOptions options_;
  std::vector<std::unique_ptr<Recording>> recordings_;  // as options_.blocks
  const machine::Program* program_ = nullptr;
};

}  // namespace ridge::observe
