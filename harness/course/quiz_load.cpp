// Reads course/quizzes/*.toml; every deviation from the format is an error.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/course/quiz.h"
#include "harness/course/table_reader.h"

namespace ridge::course {
namespace {

namespace fs = std::filesystem;

ComputedAnswer read_computed(TableReader reader) {
  ComputedAnswer computed = read_model(reader);
  computed.threads = reader.count_if_there("threads");
  computed.registers = reader.count_if_there("registers");
  computed.shared_bytes = reader.count_if_there("shared_bytes");
  reader.no_other_keys();
  return computed;
}

void read_choices(TableReader& reader, Question& question) {
  question.kind = QuestionKind::choice;
  question.choices = reader.texts("choices");
  const int64_t right = reader.whole_number("right");
  const int64_t count = static_cast<int64_t>(question.choices.size());
  if (count < 2 || right > count)
    reader.fail("right", fmt::format("choice {} of {} is right", right, count),
                "2 choices or more, and one of them");
  question.right = static_cast<size_t>(right - 1);
  question.line = reader.count_if_there("line");
}

void read_answer(TableReader& reader, const std::string& kind, Question& question) {
  if (kind == "choice") return read_choices(reader, question);
  if (kind == "number") {
    question.kind = QuestionKind::number;
    const std::optional<double> value = reader.number_if_there("value");
    if (!value) reader.fail("value", "a question for a number has no value", "\"value\"");
    question.value = *value;
    question.within_percent = reader.number_if_there("within_percent").value_or(0);
    question.unit = reader.text_if_there("unit");
  } else if (kind == "lanes") {
    question.kind = QuestionKind::lanes;
    const std::string text = reader.text("lanes");
    const std::optional<uint32_t> lanes = lanes_in(text);
    if (!lanes)
      reader.fail("lanes", fmt::format("\"{}\" is not a list of lanes", text),
                  "such as \"0, 4, 8-11\"");
    question.lanes = *lanes;
  } else {
    reader.fail("kind", fmt::format("\"{}\" is not a kind of question", kind),
                "number, choice or lanes");
  }
}

Question read_question(TableReader reader, const fs::path& root) {
  Question question;
  question.id = reader.text("id");
  question.text = reader.text("text");
  question.table = reader.text_if_there("table");
  question.picture = reader.text_if_there("picture");
  question.why = reader.text("why");
  question.read = reader.text_if_there("read");
  read_answer(reader, reader.text("kind"), question);
  if (auto computed = reader.table_if_there("computed"))
    question.computed = read_computed(std::move(*computed));
  for (const auto& [key, file] : {std::pair{"picture", question.picture}, {"read", question.read}})
    if (!file.empty() && !fs::exists(root / file))
      reader.fail(key, fmt::format("there is no file {}", file),
                  "a path from the root of the clone");
  reader.no_other_keys();
  return question;
}

ScenarioStep read_step(TableReader reader) {
  ScenarioStep step;
  step.name = reader.text("name");
  step.text = reader.text("text");
  for (TableReader& choice : reader.tables("choice")) {
    step.choices.push_back({choice.text("text"), choice.text("reply"), choice.text_if_there("next"),
                            choice.truth("good", false)});
    choice.no_other_keys();
  }
  if (step.choices.size() < 2)
    reader.fail("choice", fmt::format("step \"{}\" has no choice", step.name), "2 or more");
  reader.no_other_keys();
  return step;
}

Scenario read_scenario(TableReader reader) {
  Scenario scenario;
  scenario.id = reader.text("id");
  scenario.title = reader.text("title");
  std::set<std::string> names;
  for (TableReader& step : reader.tables("step")) {
    scenario.steps.push_back(read_step(step));
    names.insert(scenario.steps.back().name);
  }
  if (scenario.steps.empty())
    reader.fail("step", fmt::format("scenario \"{}\" has no step", scenario.id),
                "[[scenario.step]]");
  for (const ScenarioStep& step : scenario.steps)
    for (const ScenarioChoice& choice : step.choices)
      if (!choice.next.empty() && !names.contains(choice.next))
        reader.fail("step", fmt::format("step \"{}\" leads to \"{}\"", step.name, choice.next),
                    fmt::format("one of {}", fmt::join(names, ", ")));
  reader.no_other_keys();
  return scenario;
}

Quiz read_quiz(const fs::path& path, const fs::path& root) {
  const std::string file = path.lexically_relative(root).string();
  toml::table document;
  try {
    document = toml::parse_file(path.string());
  } catch (const toml::parse_error& error) {
    fail_at(file, error.source().begin.line, std::string(error.description()) + ", expected TOML");
  }
  Quiz quiz;
  quiz.name = path.stem().string();
  TableReader top(document, file, "the file");
  quiz.title = top.text("title");
  std::set<std::string> ids;
  for (TableReader& reader : top.tables("question")) {
    quiz.questions.push_back(read_question(reader, root));
    if (!ids.insert(quiz.questions.back().id).second)
      reader.fail("id", fmt::format("two questions have the id \"{}\"", quiz.questions.back().id),
                  "one each");
  }
  for (TableReader& reader : top.tables("scenario"))
    quiz.scenarios.push_back(read_scenario(reader));
  top.no_other_keys();
  if (quiz.questions.empty() && quiz.scenarios.empty())
    fail_at(file, 1, "the quiz is empty, expected [[question]] or [[scenario]]");
  return quiz;
}

}  // namespace

ComputedAnswer read_model(TableReader& reader) {
  ComputedAnswer computed;
  computed.model = reader.text("model");
  computed.address = reader.text_if_there("address");
  computed.value = reader.text_if_there("value");
  computed.over = reader.text_if_there("over");
  computed.where = reader.text_if_there("where");
  if (const uint32_t bytes = reader.count_if_there("bytes")) computed.bytes = bytes;
  return computed;
}

std::vector<Quiz> load_quizzes(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root / "course/quizzes", none))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Quiz> quizzes;
  for (const fs::path& file : files)
    quizzes.push_back(read_quiz(file, root));
  return quizzes;
}

}  // namespace ridge::course
