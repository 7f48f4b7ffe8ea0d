// Reads course/kit/exam.toml strictly.
#include <fmt/format.h>

#include <set>

#include "harness/course/table_reader.h"
#include "harness/exam/exam.h"

namespace ridge::exam {
namespace {

using course::TableReader;

void read_computed(TableReader reader, Template& asked) {
  asked.computed = course::read_model(reader);
  asked.threads = reader.text_if_there("threads");
  asked.registers = reader.text_if_there("registers");
  asked.shared_bytes = reader.text_if_there("shared_bytes");
  reader.no_other_keys();
  if (asked.computed.model == "lanes") asked.kind = course::QuestionKind::lanes;
}

void read_draw(const toml::table& question, const std::string& file, TableReader& reader,
               Template& asked) {
  TableReader numbers = reader.table("draw");
  for (const auto& [key, node] : *question["draw"].as_table()) {
    const std::string name(key.str());
    for (const int64_t value : numbers.shape(name))
      asked.draw[name].push_back(value);
    if (asked.draw[name].size() < 2)
      course::fail_at(file, node.source().begin.line,
                      fmt::format("{} has one value, expected several", name));
  }
}

}  // namespace

std::vector<Template> load_templates(const std::filesystem::path& root) {
  const std::string file = "course/kit/exam.toml";
  toml::table document;
  try {
    document = toml::parse_file((root / file).string());
  } catch (const toml::parse_error& error) {
    course::fail_at(file, error.source().begin.line,
                    std::string(error.description()) + ", expected TOML");
  }
  std::vector<Template> templates;
  std::set<std::string> ids;
  TableReader top(document, file, "the file");
  size_t at = 0;
  for (TableReader& reader : top.tables("question")) {
    Template asked;
    asked.id = reader.text("id");
    asked.topic = reader.text("topic");
    asked.points = static_cast<int>(reader.whole_number("points"));
    asked.text = reader.text("text");
    asked.why = reader.text("why");
    asked.unit = reader.text_if_there("unit");
    asked.within_percent = reader.number_if_there("within_percent").value_or(0);
    read_draw(*document["question"][at++].as_table(), file, reader, asked);
    read_computed(reader.table("computed"), asked);
    reader.no_other_keys();
    if (!ids.insert(asked.id).second)
      reader.fail("id", fmt::format("two questions have the id \"{}\"", asked.id), "one each");
    templates.push_back(std::move(asked));
  }
  top.no_other_keys();
  return templates;
}

}  // namespace ridge::exam
