#include "harness/build/one_file.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <stdexcept>

#include "harness/build/nvcc_output.h"
#include "harness/sandbox/bubblewrap.h"
#include "text/layout.h"

namespace ridge::build {
namespace {

namespace fs = std::filesystem;

const char* const kPartKilled =
    "died due to signal 9";  // what nvcc says of a compiler that it had started
constexpr uintmax_t kLeastRoomBytes = 256 * 1024;  // for the smallest file's intermediate ones
constexpr RunLimits kLimits{.seconds = 60,
                            .file_bytes = 512 << 20,
                            .memory_bytes = int64_t{24} << 30,
                            .output_bytes = 4 << 20};

// A compiler does not always say why it could not write.
bool no_room_in(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < kLeastRoomBytes;
}

bool over_file_limit(const Finished& finished) {
  // A compiler is a driver: it tells how its stages ended.
  return finished.too_large ||
         finished.output.find("File size limit exceeded") != std::string::npos ||
         finished.output.find("File too large") != std::string::npos;
}

}  // namespace

std::vector<fs::path> headers_in(const fs::path& folder) {
  std::vector<fs::path> headers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cuh" || extension == ".hpp")
      headers.push_back(entry.path());
  }
  std::sort(headers.begin(), headers.end());
  return headers;
}

std::string shown_name(const fs::path& source) {
  std::error_code error;
  const fs::path relative = fs::relative(source, fs::current_path(error), error);
  const bool under = !error && !relative.empty() && *relative.begin() != "..";
  return text::one_line(under ? relative.string() : source.string());
}

RunLimits compile_limits(const std::atomic<bool>* stop) {
  RunLimits limits = kLimits;
  limits.stop = stop;
  return limits;
}

std::vector<std::string> sandbox_for(const OneFile& file, const std::vector<fs::path>& readable) {
  using namespace sandbox;
  if (!compiler_is_sandboxed()) return {};
  const std::vector<fs::path>& folders = file.folders;
  Policy policy;
  policy.readable = readable;
  policy.readable.insert(policy.readable.end(), folders.begin() + 1, folders.end());
  if (std::find(folders.begin() + 1, folders.end(), folders.front()) == folders.end()) {
    policy.readable.push_back(file.source);
    for (const fs::path& header : headers_in(folders.front()))
      policy.readable.push_back(header);
  }
  policy.writable = {file.object.parent_path()};
  return bubblewrap_command(*find_bubblewrap(), policy, Users::own_namespace);
}

void throw_unless_about_source(const Finished& finished, const OneFile& file,
                               const fs::path& compiler) {
  if (finished.stopped) throw Interrupted();
  if (!finished.started) {
    throw std::runtime_error(fmt::format("cannot run {}: {}", compiler.string(), finished.output));
  }
  if (finished.status != 0 && (disk_full_in(finished.output) || no_room_in(file.cache_folder))) {
    throw std::runtime_error(
        fmt::format("the disk that holds {} is full; make room on it and try again",
                    file.cache_folder.string()));
  }
  // The system ends the largest program when memory is short; that says nothing about the source.
  const bool killed =
      !finished.too_long &&
      (finished.status == 128 + SIGKILL || finished.output.find(kPartKilled) != std::string::npos);
  if (killed) {
    throw std::runtime_error(
        fmt::format("{} was killed while it compiled {}, so nothing was graded; is memory short? "
                    "Grade again",
                    compiler.string(), shown_name(file.shown)));
  }
}

void note_end(Compiled& compiled, const Finished& finished, const std::string& name) {
  compiled.ok = finished.status == 0 && !finished.too_long;
  if (finished.too_long) {
    compiled.stopped =
        fmt::format("{} had not compiled the file after {:.0f} seconds.", name, kLimits.seconds);
  } else if (!compiled.ok && over_file_limit(finished)) {
    compiled.stopped = fmt::format("{} was stopped: it wrote a file of more than {} MB.", name,
                                   kLimits.file_bytes >> 20);
  } else if (finished.status > 128 && finished.status <= 128 + SIGRTMAX) {
    compiled.messages += fmt::format("{} was ended by signal {}\n", name, finished.status - 128);
  }
}

bool compiler_is_sandboxed() {
  using namespace sandbox;
  const std::optional<fs::path> bubblewrap = find_bubblewrap();
  if (mechanisms_to_try().front() != Mechanism::bubblewrap || !bubblewrap) return false;
  static const bool works = [&] {
    std::vector<std::string> command = bubblewrap_command(*bubblewrap, {}, Users::own_namespace);
    command.emplace_back("/usr/bin/true");
    return run(command, {}, Keep::all, {.seconds = 5}).status == 0;
  }();
  return works;
}

}  // namespace ridge::build
