#include "visualizer/session/source_diff.h"

#include <algorithm>

namespace ridge::view {
namespace {

// Beyond this many pairs of lines (both files over 2000 lines that differ throughout) nothing is matched.
constexpr size_t kMostPairs = size_t{1} << 22;

struct Code {
  std::string_view code, text;
  uint32_t line = 0;
};

std::vector<Code> code_lines(std::string_view source) {
  std::vector<Code> all;
  uint32_t number = 0;
  for (const std::string_view text : lines_of(source)) {
    ++number;
    if (const std::string_view code = code_of(text); !code.empty()) all.push_back({code, text, number});
  }
  return all;
}

// lengths[i][j]: of the longest common subsequence of what follows i in a and j in b.
class Common {
 public:
  Common(const std::vector<Code>& a, const std::vector<Code>& b) : width_(b.size() + 1) {
    if ((a.size() + 1) * width_ > kMostPairs) return;
    lengths_.assign((a.size() + 1) * width_, 0);
    for (size_t i = a.size(); i-- > 0;)
      for (size_t j = b.size(); j-- > 0;)
        lengths_[i * width_ + j] =
            a[i].code == b[j].code ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  uint32_t at(size_t i, size_t j) const { return lengths_.empty() ? 0 : lengths_[i * width_ + j]; }

 private:
  size_t width_;
  std::vector<uint32_t> lengths_;
};

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view code_of(std::string_view line) {
  line = line.substr(0, line.find("//"));
  const size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first, last - first + 1);
}

std::vector<DiffLine> source_difference(std::string_view now, std::string_view before) {
  using enum DiffLine::Kind;
  const std::vector<Code> a = code_lines(now), b = code_lines(before);
  const Common common(a, b);
  std::vector<DiffLine> all;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i].code == b[j].code) {
      all.push_back({same, a[i].line, a[i].text});
      ++i, ++j;
    } else if (j < b.size() && (i == a.size() || common.at(i, j + 1) >= common.at(i + 1, j))) {
      all.push_back({removed, b[j].line, b[j].text});
      ++j;
    } else {
      all.push_back({added, a[i].line, a[i].text});
      ++i;
    }
  }
  return all;
}

}  // namespace ridge::view
