// Checks that every path, command, name and test that docs/recipes.md mentions exists.
#include <fmt/format.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/layout/tree.h"

namespace {

using ridge::layout::lines_of;
using ridge::layout::project_files;

// Words of a recipe that stand for a name of the reader's choice.
const std::set<std::string> kPlaceholders = {"LAB",   "NAME", "TOPIC",      "ENTRY", "VERDICT",
                                             "CAUSE", "FILE", "IDENTIFIER", "WHY",   "NN"};

std::vector<std::string> matches_of(const std::string& text, const std::string& pattern,
                                    int group = 1) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[group]);
  return found;
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

class Tree {
 public:
  Tree() : files_(project_files()) {
    for (const std::string& file : files_) {
      if (file == "docs/recipes.md" || file == "tests/layout/recipes_test.cpp") continue;
      if (!std::regex_search(file, std::regex(R"(\.(cpp|h|cu|cuh|py|sh|toml|txt|ptx|md)$)")))
        continue;
      if (file.find("/measured/") != std::string::npos) continue;
      const bool is_test = file.starts_with("tests/");
      for (const std::string& line : lines_of(file)) {
        collect_words(line);
        if (is_test) tests_ += line + " ";
        if (file.starts_with("harness/cli/")) cli_ += line + "\n";
      }
    }
    tests_ = replaced(replaced(tests_, "\"\\s+\"", ""), "\\s+", " ");  // a sentence in two literals
    for (const std::string& name : matches_of(tests_, R"(ridge_test\((\w+))"))
      words_.insert(name);
  }

  bool has_word(const std::string& word) const { return words_.contains(word); }
  bool has_test(const std::string& sentence) const {
    return tests_.find(sentence) != std::string::npos;
  }
  bool has_option(const std::string& option) const {
    return cli_.find(option) != std::string::npos;
  }
  bool has_command(const std::string& command) const {
    return std::regex_search(cli_, std::regex("add_subcommand\\(\\s*\"" + command + "\""));
  }

  // A path from the root or the end of one, a folder if it ends with "/"; `LAB/N-name/*.cu` is a pattern.
  bool has_path(const std::string& path) const {
    std::string pattern = replaced(path, R"(\.)", "\\.");
    pattern = replaced(pattern, R"(\b(NN-name|N-name|LAB|NAME|TOPIC|ENTRY|NN|N)\b|\*)", "[^/]*");
    const std::regex regex("(^|.*/)" + pattern + (path.ends_with("/") ? ".*" : ""));
    for (const std::string& file : files_)
      if (std::regex_match(file, regex)) return true;
    return false;
  }

 private:
  void collect_words(const std::string& line) {
    std::string word;
    for (const char c : line + " ")
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
        word += c;
      } else {
        if (word.size() > 2) words_.insert(word);
        word.clear();
      }
  }

  std::vector<std::string> files_;
  std::set<std::string> words_;
  std::string tests_, cli_;
};

// "" or what `name`, the text between two backquotes, says that is not so.
std::string missing_in(const Tree& tree, const std::string& name) {
  const std::string said = replaced(name, R"(^(\./|\w+=\S+ )*(build/release/bin/)?)", "");
  const std::string first = said.substr(0, said.find(' '));
  if (first == "ridge") {
    const auto words = matches_of(said, R"(\s([\w-]+))");
    if (!words.empty() && !words.front().starts_with("--") && !tree.has_command(words.front()))
      return "no command " + words.front();
    for (const std::string& option : matches_of(said, R"((--[\w-]+))"))
      if (option != "--help" && !tree.has_option(option)) return "no option " + option;
    return "";
  }
  if (std::regex_match(first, std::regex(R"([\w*-]+(/[\w.*-]+)*(/|\.[a-z]+\d*))")) &&
      first.size() > 3 && first.find("target.") == std::string::npos &&
      first.find("wrong.") == std::string::npos)
    return tree.has_path(first) ? "" : "no file " + first;
  for (const std::string& word : matches_of(said, R"(([A-Za-z_]\w\w+))"))
    if (!kPlaceholders.contains(word) && word.find("NAME") == std::string::npos &&
        !tree.has_word(word))
      return "no name " + word;
  return "";
}

// Everything that a page says and that is not so.
std::vector<std::string> faults_of(const Tree& tree, const std::string& page) {
  std::vector<std::string> faults;
  for (const std::string& name : matches_of(page, R"(`([^`\n]+)`)")) {
    const std::string missing = missing_in(tree, name);
    if (!missing.empty()) faults.push_back(fmt::format("`{}`: {}", name, missing));
  }
  const std::string line = replaced(page, R"(\s+)", " ");
  for (const std::string& list : matches_of(line, R"(Fails if [^:]*: (.*?)(?= [A-Z][a-z]+ |$))"))
    for (const std::string& sentence : matches_of(list, "\"([^\"]+)\""))
      if (!tree.has_test(sentence)) faults.push_back(fmt::format("\"{}\": no such test", sentence));
  return faults;
}

std::string without_code(const std::vector<std::string>& lines) {
  std::string text;
  bool code = false;
  for (const std::string& line : lines) {
    const bool fence = line.find("```") != std::string::npos;
    if (fence) code = !code;
    if (!code && !fence) text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("every path, command, name and test in the recipes exists") {
  const Tree tree;
  const std::string page = without_code(lines_of("docs/recipes.md"));
  CHECK(matches_of(page, R"(`([^`\n]+)`)").size() > 100);
  for (const std::string& fault : faults_of(tree, page)) {
    INFO("docs/recipes.md: " << fault);
    CHECK(false);
  }
}

TEST_CASE("a recipe that names what does not exist is reported") {
  const Tree tree;
  for (const char* right :
       {"`trace/view_table.h`", "`integer.cpp`", "`labs/LAB/lab.toml`", "`kViews`",
        "`./ridge check LAB/N --mutants 12`", "`tests/known_wrong/LAB/N-name/*.cu`",
        "Fails if forgotten: `measure` (\"each count has the value that its "
        "description\npromises\")."}) {
    INFO(right);
    CHECK(faults_of(tree, right).empty());
  }
  // The names are put together here, so that this file does not have them.
  const std::string no = "no_such";
  for (const std::string& wrong :
       {"`trace/" + no + ".h`", "`" + no + ".cpp`", "`" + no + "/`", "`k" + no + "`",
        "`./ridge " + no + "`", "`./ridge check --" + no + "`",
        "Fails if forgotten: `measure` (\"" + no + " sentence here\")."}) {
    INFO(wrong);
    CHECK(faults_of(tree, wrong).size() == 1);
  }
}
