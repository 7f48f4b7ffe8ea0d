#include "harness/grade/diagnosis/error_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ridge::grade {

using problems::State;

Output::Output(const problems::Buffer& buffer, const problems::Expected& expected,
               std::span<const std::byte> got, std::span<const std::byte> initial)
    : buffer_(buffer),
      expected_(expected),
      got_(got),
      initial_(initial),
      states_(static_cast<size_t>(buffer.elements())) {
  auto size = static_cast<size_t>(problems::bytes_of(buffer.type));
  for (int64_t i = 0; i < elements(); ++i) {
    auto at = static_cast<size_t>(i);
    State state = problems::state_of(buffer, expected, got, i);
    if (state == State::wrong && had_values() &&
        std::memcmp(got.data() + at * size, initial.data() + at * size, size) == 0)
      state = State::untouched;
    states_[at] = state;
    wrong_ += state != State::right;
    untouched_ += state == State::untouched;
  }
}

bool Output::would_be_right_at(int64_t index, int64_t other) const {
  const auto i = static_cast<size_t>(other);
  const double is = got(index), wanted = expected_.value[i];
  if (!expected_.tolerance.empty())
    return std::fabs(is - wanted) <= static_cast<double>(expected_.tolerance[i]);
  return is == wanted;
}

std::string Output::name(int64_t index) const {
  std::string places;
  for (size_t d = buffer_.extent.size(); d-- > 0;) {
    places = fmt::format("[{}]", index % buffer_.extent[d]) + places;
    index /= buffer_.extent[d];
  }
  return buffer_.name + places;
}

std::optional<ErrorMap> error_map(const Output& output) {
  if (output.elements() < 8) return std::nullopt;
  constexpr int64_t kLines = 8, kColumns = 64;
  struct Cell {
    int64_t elements = 0, wrong = 0, untouched = 0;
    char picture() const {
      if (wrong == 0) return '.';
      if (untouched == elements) return '?';
      return wrong == elements ? '#' : '+';
    }
  };
  bool flat = output.rows() == 1 || output.cols() == 1;
  int64_t lines, columns, run = 1;
  if (flat) {  // folded: `run` elements per character, in order
    run = (output.elements() + kLines * kColumns - 1) / (kLines * kColumns);
    int64_t cells = (output.elements() + run - 1) / run;
    columns = std::min(cells, kColumns);
    lines = (cells + columns - 1) / columns;
  } else {
    lines = std::min(output.rows(), kLines);
    columns = std::min(output.cols(), kColumns);
  }
  std::vector<Cell> cells(static_cast<size_t>(lines * columns));
  for (int64_t i = 0; i < output.elements(); ++i) {
    int64_t cell = flat ? i / run
                        : (i / output.cols()) * lines / output.rows() * columns +
                              (i % output.cols()) * columns / output.cols();
    Cell& at = cells[static_cast<size_t>(cell)];
    ++at.elements;
    at.wrong += !output.right(i);
    at.untouched += output.state(i) == State::untouched;
  }
  ErrorMap map{output.buffer().name, output.rows(), output.cols(), flat ? run : 0, {}};
  for (int64_t line = 0; line < lines; ++line) {
    std::string& text = map.lines.emplace_back();
    for (int64_t column = 0; column < columns; ++column) {
      const Cell& cell = cells[static_cast<size_t>(line * columns + column)];
      if (cell.elements) text += cell.picture();
    }
  }
  return map;
}

std::string first_mismatches(const Output& output) {
  std::string text;
  int shown = 0;
  for (int64_t i = 0; i < output.elements() && shown < 5; ++i) {
    if (output.right(i)) continue;
    ++shown;
    text += output.state(i) == State::untouched
                ? fmt::format("  {}  expected {:.7g}, {}\n", output.name(i), output.expected(i),
                              output.had_values() ? "still has its first value" : "was never written")
                : fmt::format("  {}  expected {:.7g}, got {:.7g}\n", output.name(i), output.expected(i),
                              output.got(i));
  }
  if (output.wrong() > shown) text += fmt::format("  and {} more\n", output.wrong() - shown);
  return text;
}

}  // namespace ridge::grade
