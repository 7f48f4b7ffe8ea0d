#include "harness/cli/course_checks/mutants/explanations.h"

#include "harness/course/lab.h"
#include "harness/course/table_reader.h"

namespace ridge::cli {

namespace fs = std::filesystem;

std::vector<Explanation> load_explanations(const fs::path& root) {
  const fs::path table = root / "tests" / "mutants" / "explained.toml";
  if (!fs::exists(table)) return {};
  const std::string shown = table.lexically_relative(root).string();
  toml::table document;
  try {
    document = toml::parse_file(table.string());
  } catch (const toml::parse_error& error) {
    course::fail_at(shown, error.source().begin.line, std::string(error.description()) + ", expected TOML");
  }
  std::vector<Explanation> list;
  course::TableReader top(document, shown, "the file");
  for (course::TableReader& reader : top.tables("survivor")) {
    list.push_back(
        {reader.text("rung"), reader.text("before"), reader.text_if_there("after"), reader.text("why")});
    reader.no_other_keys();
  }
  top.no_other_keys();
  return list;
}

const Explanation* find_explanation(const std::vector<Explanation>& all, const std::string& rung,
                                    const Mutation& mutation) {
  for (const Explanation& one : all)
    if (one.rung == rung && one.before == mutation.before && one.after == mutation.after) return &one;
  return nullptr;
}

}  // namespace ridge::cli
