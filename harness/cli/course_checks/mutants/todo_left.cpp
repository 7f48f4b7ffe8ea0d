#include "harness/cli/course_checks/mutants/todo_left.h"

#include <algorithm>
#include <string>

namespace ridge::cli {

namespace {

struct Line {
  size_t number;     // from 0
  std::string code;  // without comments and blanks
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<Line> code_lines_of(const std::vector<std::string_view>& lines) {
  std::vector<Line> code;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string text(lines[i].substr(0, std::min(lines[i].find("//"), lines[i].size())));
    std::erase_if(text, [](char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; });
    if (!text.empty()) code.push_back({i, std::move(text)});
  }
  return code;
}

// The code lines [from, to) of one text that the other lacks, and the lines at their place in the
// other.
struct Difference {
  size_t solution_from, solution_to, skeleton_from, skeleton_to;
};

std::vector<Difference> differences(const std::vector<Line>& skeleton, const std::vector<Line>& solution) {
  const size_t rows = skeleton.size(), cols = solution.size();
  // The longest common subsequence of skeleton[i..] and solution[j..].
  std::vector<std::vector<int>> common(rows + 1, std::vector<int>(cols + 1, 0));
  for (size_t i = rows; i-- > 0;)
    for (size_t j = cols; j-- > 0;)
      common[i][j] = skeleton[i].code == solution[j].code ? common[i + 1][j + 1] + 1
                                                          : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<Difference> found;
  for (size_t i = 0, j = 0; i < rows || j < cols;) {
    if (i < rows && j < cols && skeleton[i].code == solution[j].code) {
      ++i, ++j;
      continue;
    }
    Difference one{j, j, i, i};
    while ((i < rows || j < cols) && !(i < rows && j < cols && skeleton[i].code == solution[j].code)) {
      if (j == cols || (i < rows && common[i + 1][j] >= common[i][j + 1]))
        ++i;
      else
        ++j;
    }
    one.solution_to = j;
    one.skeleton_to = i;
    found.push_back(one);
  }
  return found;
}

}  // namespace

std::vector<Mutation> todos_left(std::string_view skeleton, std::string_view solution) {
  const auto skeleton_lines = lines_of(skeleton), solution_lines = lines_of(solution);
  const auto skeleton_code = code_lines_of(skeleton_lines), solution_code = code_lines_of(solution_lines);
  std::vector<Mutation> mutations;
  for (const Difference& one : differences(skeleton_code, solution_code)) {
    Mutation mutation;
    mutation.kind = kTodoLeft;
    const auto line_at = [&](size_t at) {
      return at < solution_code.size() ? solution_code[at].number : solution_lines.size();
    };
    mutation.line = line_at(one.solution_from) + 1;
    size_t next = 0;
    const auto keep_to = [&](size_t end) {
      for (; next < end; ++next)
        mutation.source += std::string(solution_lines[next]) + "\n";
    };
    keep_to(line_at(one.solution_from));
    for (size_t at = one.skeleton_from; at < one.skeleton_to; ++at) {
      const std::string_view text = skeleton_lines[skeleton_code[at].number];
      mutation.source += std::string(text) + "\n";
      mutation.after += (mutation.after.empty() ? "" : " ") + skeleton_code[at].code;
    }
    for (size_t at = one.solution_from; at < one.solution_to; ++at)
      mutation.before += (mutation.before.empty() ? "" : " ") + solution_code[at].code;
    if (one.solution_to > one.solution_from) next = solution_code[one.solution_to - 1].number + 1;
    keep_to(solution_lines.size());
    mutations.push_back(std::move(mutation));
  }
  return mutations;
}

std::vector<size_t> todos_without_difference(std::string_view skeleton, std::string_view solution) {
  const auto skeleton_lines = lines_of(skeleton);
  const auto skeleton_code = code_lines_of(skeleton_lines);
  const auto found = differences(skeleton_code, code_lines_of(lines_of(solution)));
  std::vector<size_t> without;
  for (size_t line = 0; line < skeleton_lines.size(); ++line) {
    if (skeleton_lines[line].find("TODO") == std::string_view::npos) continue;
    // Find the code lines around it: the one on its own line or before it, and the one after it.
    const auto after = static_cast<size_t>(
        std::partition_point(skeleton_code.begin(), skeleton_code.end(),
                             [&](const Line& code) { return code.number <= line; }) -
        skeleton_code.begin());
    const size_t before = after == 0 ? 0 : after - 1;
    const bool is_near = std::any_of(found.begin(), found.end(), [&](const Difference& one) {
      return one.skeleton_from <= after + 1 && one.skeleton_to >= before;
    });
    if (!is_near) without.push_back(line + 1);
  }
  return without;
}

}  // namespace ridge::cli
