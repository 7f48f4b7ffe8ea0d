#include "harness/cli/course_checks/mutants/mutation.h"

#include <algorithm>
#include <regex>

namespace ridge::cli {

namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// Marks the bytes of code with 1; comments, strings and preprocessor lines with 0.
std::vector<char> code_of(std::string_view source) {
  std::vector<char> code(source.size(), 1);
  bool line_begins = true;
  for (size_t at = 0; at < source.size();) {
    size_t end = at;
    if (source.substr(at, 2) == "//" || (line_begins && source[at] == '#'))
      end = std::min(source.find('\n', at), source.size());
    else if (source.substr(at, 2) == "/*")
      end = std::min(source.find("*/", at), source.size() - 2) + 2;
    else if (source[at] == '"') {
      end = at + 1;
      while (end < source.size() && (source[end] != '"' || source[end - 1] == '\\'))
        ++end;
      end = std::min(end + 1, source.size());
    }
    if (end > at) {
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(at), code.begin() + static_cast<std::ptrdiff_t>(end), 0);
      at = end;
      continue;
    }
    if (source[at] == '\n')
      line_begins = true;
    else if (source[at] != ' ')
      line_begins = false;
    ++at;
  }
  return code;
}

class Mutator {
 public:
  explicit Mutator(std::string_view source) : source_(source), code_(code_of(source)) {}

  std::vector<Mutation> all() {
    for (size_t begin = 0; begin < source_.size();) {
      const size_t end = std::min(source_.find('\n', begin), source_.size());
      ++number_;
      begin_ = begin;
      line_ = source_.substr(begin, end - begin);
      mutate_line();
      if (const std::string text = trimmed(code_of_line()); !text.empty()) last_code_ = text.back();
      begin = end + 1;
    }
    return std::move(mutations_);
  }

 private:
  std::string code_of_line() const {
    std::string text = line_;
    for (size_t i = 0; i < text.size(); ++i)
      if (!code_[begin_ + i]) text[i] = ' ';
    return text;
  }

  void mutate_line() {
    const std::string code = code_of_line();
    if (trimmed(code).empty()) return;
    delete_statement(code);
    remove_guard(code);
    swap_operators(code);
    change_constants(code);
    if (is_declaration_of_array(code)) return;
    change_indices(code);
  }

  static bool is_declaration_of_array(const std::string& code) {
    static const std::regex kArray(R"(\b(float\d?|int|uint\d+_t|__nv_\w+|MaxSum|Tiles|alignas\(\d+\))\s+\w+(\[|,.*\[))");
    return code.find("__shared__") != std::string::npos || std::regex_search(code, kArray);
  }

  void replace(const char* kind, size_t at, size_t length, const std::string& by) {
    Mutation mutation;
    mutation.line = number_;
    mutation.kind = kind;
    mutation.before = trimmed(line_);
    mutation.source = std::string(source_);
    mutation.source.replace(begin_ + at, length, by);
    std::string after = line_;
    mutation.after = trimmed(after.replace(at, length, by));
    mutations_.push_back(std::move(mutation));
  }

  // Deletes a one-line statement that does not complete a preceding line.
  void delete_statement(const std::string& code) {
    static const std::regex kDeclares(
        R"(^(const|constexpr|int|float\d?|auto|bool|dim3|using|return|extern|__shared__|break|continue|case|uint\d+_t|struct|template|namespace|cuda\w+_t|MaxSum|size_t|cluster_)\b.*)");
    const std::string text = trimmed(code);
    const bool begins_anew = last_code_ == ';' || last_code_ == '{' || last_code_ == '}' || last_code_ == ')';
    if (!begins_anew || text.back() != ';' || text.size() < 4 || std::regex_match(text, kDeclares)) return;
    if (text.starts_with("for") || text.starts_with("}") ||
        std::count(text.begin(), text.end(), '(') != std::count(text.begin(), text.end(), ')'))
      return;
    const size_t first = code.find_first_not_of(' ');
    replace("statement deleted", first, code.find_last_not_of(' ') + 1 - first, ";");
  }

  void remove_guard(const std::string& code) {
    for (size_t at = code.find("if ("); at != std::string::npos; at = code.find("if (", at + 1)) {
      size_t end = at + 4;
      for (int open = 1; end < code.size() && open > 0; ++end)
        open += code[end] == '(' ? 1 : code[end] == ')' ? -1 : 0;
      if (code[end - 1] != ')') continue;
      replace("guard removed", at, end - at, "if (true)");
    }
  }

  void swap_operators(const std::string& code) {
    constexpr std::pair<const char*, const char*> kSwaps[] = {
        {" < ", " <= "}, {" <= ", " < "}, {" > ", " >= "}, {" >= ", " > "}, {" == ", " != "},
        {" + ", " - "},  {" - ", " + "},  {" * ", " + "},  {" / ", " * "},  {" % ", " / "},
        {" += ", " -= "}, {" ^ ", " + "}, {" && ", " || "}, {" /= ", " -= "}, {" *= ", " += "}};
    for (const auto& [from, to] : kSwaps)
      for (size_t at = code.find(from); at != std::string::npos; at = code.find(from, at + 1))
        replace("operator swapped", at, std::string_view(from).size(), to);
  }

  void change_constants(const std::string& code) {
    static const std::regex kNumber(R"((^|[^\w.])(\d+)(?![\w.]))");
    for (std::sregex_iterator match(code.begin(), code.end(), kNumber), end; match != end; ++match) {
      const long long value = std::stoll((*match)[2]);
      const auto at = static_cast<size_t>(match->position(2)), length = static_cast<size_t>(match->length(2));
      replace("constant changed", at, length, std::to_string(value + 1));
      if (value > 1) replace("constant changed", at, length, std::to_string(value / 2));
    }
  }

  void change_indices(const std::string& code) {
    static const std::regex kPair(R"(\[([^\[\]]+)\]\[([^\[\]]+)\])"), kIndex(R"(\w\[([^\[\]]+)\])");
    for (std::sregex_iterator match(code.begin(), code.end(), kPair), end; match != end; ++match)
      replace("indices swapped", static_cast<size_t>(match->position()), static_cast<size_t>(match->length()),
              "[" + (*match)[2].str() + "][" + (*match)[1].str() + "]");
    for (std::sregex_iterator match(code.begin(), code.end(), kIndex), end; match != end; ++match)
      replace("index shifted", static_cast<size_t>(match->position(1)), static_cast<size_t>(match->length(1)),
              (*match)[1].str() + " + 1");
    for (const char* of : {"threadIdx.", "blockIdx.", "blockDim.", "gridDim."})
      for (size_t at = code.find(of); at != std::string::npos; at = code.find(of, at + 1)) {
        const size_t axis = at + std::string_view(of).size();
        if (axis < code.size() && (code[axis] == 'x' || code[axis] == 'y'))
          replace("indices swapped", axis, 1, code[axis] == 'x' ? "y" : "x");
      }
  }

  std::string_view source_;
  std::vector<char> code_;
  size_t number_ = 0, begin_ = 0;
  std::string line_;
  char last_code_ = ';';
  std::vector<Mutation> mutations_;
};

}  // namespace

std::vector<Mutation> mutations_of(std::string_view source) {
  return Mutator(source).all();
}

}  // namespace ridge::cli
