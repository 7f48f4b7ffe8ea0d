#include "harness/grade/trace_of_grading.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/grade/diagnosis/trace_notes.h"
#include "trace/access_trace.h"
#include "trace/environment.h"

namespace ridge::grade {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTraceName = "launch.rtrace";

// The scene's block is recorded too.
std::string blocks_to_trace(const Request& request) {
  if (!request.trace_blocks.empty()) return request.trace_blocks;
  std::string block = request.rung->scene.block;
  std::replace(block.begin(), block.end(), ',', ':');
  return trace::kTraceDefaultBlocks + (block.empty() ? "" : "," + block);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> trace_environment(const Request& request,
                                                                   const fs::path& scratch) {
  const bool traces = request.trace_file.has_value();
  return {{trace::kTraceVariable, traces ? (scratch / kTraceName).string() : ""},
          {trace::kTraceBlocksVariable, traces ? blocks_to_trace(request) : ""},
          {trace::kTraceLimitVariable,
           request.trace_limit_bytes == 0 ? "" : std::to_string(request.trace_limit_bytes)},
          {trace::kTraceKernelVariable, traces ? request.rung->scene_kernel : ""},
          {trace::kTraceLaunchVariable, ""}};
}

void keep_trace(const Request& request, const fs::path& scratch, const Result& result,
                const std::vector<uint64_t>& addresses) {
  if (!request.trace_file) return;
  const fs::path written = scratch / kTraceName;
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(written, error))) return;
  // The child may write to its scratch folder alone, and perhaps as another user: so a copy. It
  // goes beside the file and takes its name when it is whole: another program may be reading the
  // trace before it.
  fs::path temporary = *request.trace_file;
  temporary += fmt::format(".new-{}", ::getpid());
  const course::Rung& rung = *request.rung;
  try {
    fs::copy_file(written, temporary, fs::copy_options::overwrite_existing);
    trace::annotate_trace(temporary,
                          trace_notes(rung, problems::find_problem(rung.problem), result,
                                      request.is_solution, addresses),
                          trace_sources(request.source, result.source, rung.include_folders()));
    fs::rename(temporary, *request.trace_file);
  } catch (const std::exception&) {
    fs::remove(temporary, error);
    throw;
  }
}

}  // namespace ridge::grade
