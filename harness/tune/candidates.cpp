#include "harness/tune/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <regex>
#include <thread>

#include "harness/build/shared_folder.h"
#include "text/whole_file.h"

namespace ridge::tune {

namespace fs = std::filesystem;

namespace {

constexpr const char* kThreadsName = "kThreads";  // per block
// Dynamic shared memory, in addition to static arrays.
constexpr const char* kDynamicShared = "kSharedBytes";

// nvcc prints: error: static assertion failed with "a thread takes float4"
std::string assertion_in(const std::string& messages) {
  static const std::regex kFailed(R"re(static assertion failed(?: with "((?:[^"\\]|\\.)*)")?)re");
  std::smatch match;
  if (!std::regex_search(messages, match, kFailed)) return "";
  return match[1].matched ? match[1].str() : "a static_assert of the file";
}

std::string first_error_in(const std::string& messages) {
  const size_t at = messages.find("error");
  if (at == std::string::npos) return "nvcc could not compile it";
  const size_t begin = messages.rfind('\n', at) + 1;
  return messages.substr(begin, messages.find('\n', at) - begin);
}

// Writes the complete file or nothing, and only when it differs: another tuning of the same rung
// may be reading it.
void put(const fs::path& file, const std::string& text) {
  if (text::read_file_if_readable(file) == text) return;
  std::error_code error;
  build::make_folders(file.parent_path(), error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot make {}: {}; make its parent writable, or set XDG_CACHE_HOME to a "
                    "folder that is",
                    file.parent_path().string(), error.message()));
  }
  const fs::path fresh =
      file.string() + fmt::format(".{}", std::hash<std::thread::id>()(std::this_thread::get_id()));
  std::ofstream(fresh, std::ios::binary) << text << std::flush;
  fs::rename(fresh, file, error);
  if (error)
    throw std::runtime_error(
        fmt::format("cannot write {}: {}; make room, or make the folder writable", file.string(),
                    error.message()));
}

class CandidateBuilder {
 public:
  CandidateBuilder(const Space& space, const CandidateOptions& options,
                   std::vector<Candidate>& candidates)
      : space_(space), options_(options), constants_(space.text()), candidates_(candidates) {}

  void run() {
    for (Candidate& candidate : candidates_) {
      const Known known = constants_.with(space_, candidate.values);
      candidate.why = constants_.forbidden(known);
      if (!candidate.why.empty())
        candidate.pruned = Pruned::forbidden;
      else
        to_compile_.push_back(&candidate);
    }
    const unsigned jobs =
        std::max(1u, options_.jobs ? options_.jobs : std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::min<size_t>(jobs, to_compile_.size()); ++i)
      threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads)
      thread.join();
    if (broken_) std::rethrow_exception(broken_);
  }

 private:
  bool stopped() const { return options_.stop && *options_.stop; }

  void work() {
    while (Candidate* candidate = take()) {
      try {
        compile(*candidate);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!broken_) broken_ = std::current_exception();
        next_ = to_compile_.size();
      }
      report_progress();
    }
  }

  static void leave_out(Candidate& candidate) {
    candidate.pruned = Pruned::not_reached;
    candidate.why = "interrupted before it was compiled";
  }

  Candidate* take() {
    const std::lock_guard lock(mutex_);
    for (; stopped() && next_ < to_compile_.size(); ++next_)
      leave_out(*to_compile_[next_]);
    return next_ < to_compile_.size() ? to_compile_[next_++] : nullptr;
  }

  void report_progress() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.progress)
      options_.progress(fmt::format("compiled {} of {}", done_, to_compile_.size()));
  }

  // One folder per candidate, so that the file keeps its name in nvcc's messages.
  void compile(Candidate& candidate) const {
    std::string folder;
    for (size_t i = 0; i < candidate.values.size(); ++i)
      folder += (i == 0 ? "" : "_") + space_.parameters()[i].text_of(candidate.values[i]);
    candidate.source = options_.folder / folder / options_.file_name;
    put(candidate.source, space_.text_with(candidate.values));
    build::Compiled compiled;
    try {
      compiled = build::compile(candidate.source, options_.cache, options_.architecture,
                                options_.include_folders, options_.stop);
    } catch (const build::Interrupted&) {
      leave_out(candidate);
      return;
    }
    if (!compiled.ok) {
      candidate.messages = compiled.stopped + compiled.messages;
      candidate.why = assertion_in(compiled.messages);
      candidate.pruned = candidate.why.empty() ? Pruned::not_compiled : Pruned::forbidden;
      if (candidate.why.empty()) candidate.why = first_error_in(candidate.messages);
      return;
    }
    candidate.object = compiled.object;
    judge_resources(candidate, compiled.kernels, constants_.with(space_, candidate.values),
                    options_.device);
  }

  const Space& space_;
  const CandidateOptions& options_;
  const Constants constants_;
  std::vector<Candidate>& candidates_;
  std::vector<Candidate*> to_compile_;
  std::mutex mutex_;
  size_t next_ = 0, done_ = 0;
  std::exception_ptr broken_;
};

double number_of(const Known& known, const char* name) {
  const auto found = known.find(name);
  return found == known.end() || found->second < 0 ? 0 : static_cast<double>(found->second);
}

}  // namespace

std::string_view name(Pruned pruned) {
  switch (pruned) {
    case Pruned::forbidden:
      return "the file forbids it";
    case Pruned::not_compiled:
      return "does not compile";
    case Pruned::does_not_fit:
      return "does not fit on an SM";
    case Pruned::few_warps:
      return "schedulers without a warp";
    case Pruned::spills:
      return "registers spill";
    case Pruned::not_reached:
      return "not reached";
    case Pruned::no:
      break;
  }
  return "";
}

void judge_resources(Candidate& candidate, const std::vector<build::KernelResources>& kernels,
                     const Known& known, const warp_model::DeviceDescription* device) {
  uint32_t least_spilled = kernels.empty() ? 0 : UINT32_MAX;
  for (const build::KernelResources& kernel : kernels) {
    if (kernel.registers >= candidate.resources.registers) candidate.resources = kernel;
    least_spilled = std::min(least_spilled, kernel.spill_store_bytes + kernel.spill_load_bytes);
  }
  candidate.threads = static_cast<uint32_t>(number_of(known, kThreadsName));
  if (device && candidate.threads > 0) {
    warp_model::BlockResources block;
    block.threads_per_block = candidate.threads;
    block.registers_per_thread = candidate.resources.registers;
    block.static_shared_bytes = candidate.resources.shared_bytes;
    block.dynamic_shared_bytes = static_cast<uint32_t>(number_of(known, kDynamicShared));
    candidate.occupancy = warp_model::occupancy(*device, block);
    const uint32_t bytes = block.static_shared_bytes + block.dynamic_shared_bytes;
    if (candidate.occupancy.blocks_per_sm == 0) {
      candidate.pruned = Pruned::does_not_fit;
      candidate.why = fmt::format(
          "{} threads of {} registers and {} bytes of shared memory: {} run out", candidate.threads,
          block.registers_per_thread, bytes, name(candidate.occupancy.limiter));
      return;
    }
    if (candidate.occupancy.warps_per_sm < device->sub_partitions) {
      candidate.pruned = Pruned::few_warps;
      candidate.why = fmt::format("{} warps per SM for {} schedulers ({} limits)",
                                  candidate.occupancy.warps_per_sm, device->sub_partitions,
                                  name(candidate.occupancy.limiter));
      return;
    }
  }
  if (least_spilled > 0) {
    candidate.pruned = Pruned::spills;
    candidate.why = fmt::format("{} registers are not enough: {} bytes spill to memory",
                                candidate.resources.registers, least_spilled);
  }
}

std::vector<Candidate> make_candidates(const Space& space, const CandidateOptions& options) {
  std::vector<Candidate> candidates;
  for (Values& values : space.all()) {
    candidates.emplace_back();
    candidates.back().values = std::move(values);
  }
  CandidateBuilder(space, options, candidates).run();
  return candidates;
}

}  // namespace ridge::tune
