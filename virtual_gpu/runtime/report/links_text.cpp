#include "virtual_gpu/runtime/report/links_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "text/numbers.h"

namespace ridge::runtime {

std::string links_text(const std::vector<trace::LinkCounts>& links) {
  std::vector<trace::LinkCounts> sorted = links;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.source, a.destination, a.kind) < std::tie(b.source, b.destination, b.kind);
  });
  std::string text = "traffic between devices:";
  for (const trace::LinkCounts& one : sorted) {
    text +=
        fmt::format("\n  {} -> {}  {:<6}  {:>15} bytes in {:>11} {}", one.source, one.destination,
                    one.kind, text::with_thousands(one.bytes), text::with_thousands(one.requests),
                    one.kind == "copy" ? "calls" : "requests");
    if (one.kind == "copy" || one.requests == 0) continue;
    text += fmt::format(", {:.0f}% of them 128 bytes",
                        100.0 * static_cast<double>(one.requests_by_sectors[3]) /
                            static_cast<double>(one.requests));
  }
  return text;
}

}  // namespace ridge::runtime
