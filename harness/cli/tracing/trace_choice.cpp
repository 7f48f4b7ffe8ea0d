#include "harness/cli/tracing/trace_choice.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/cli/terminal/exit_status.h"
#include "text/shell_word.h"
#include "trace/record_names.h"

namespace ridge::cli {

void check_blocks(const std::string& blocks) {
  constexpr std::array<uint32_t, 3> kLargestGrid{0x7fffffff, 65535, 65535};
  std::istringstream list(blocks);
  const char between = blocks.find('|') == std::string::npos ? ',' : '|';
  for (std::string item; std::getline(list, item, between);) {
    if (item == "all" || trace::linear_block(item, kLargestGrid)) continue;
    throw UsageError(fmt::format(
        "--blocks has \"{}\"; it is a list of first, middle, last, edge, all, linear indices such as 17, "
        "or blockIdx such as 3:2:0: --blocks first,17,3:2:0",
        item));
  }
}

void check_trace_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw UsageError(fmt::format("{0} is a folder; name a file for the trace, such as {1}",
                                 file.string(),
                                 text::shell_word((file / "kernel.rtrace").string())));
}

uint64_t limit_bytes(double megabytes) {
  if (megabytes == 0) return 0;
  constexpr double kLeast = 1.0 / 1024, kMost = 4096;
  if (!(megabytes >= kLeast && megabytes <= kMost))
    throw UsageError(
        fmt::format("--limit is {} MB; give 0.001 to 4096, such as --limit 16", megabytes));
  return static_cast<uint64_t>(megabytes * (1 << 20));
}

}  // namespace ridge::cli
