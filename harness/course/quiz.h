// The questions of the course: TOML files in course/quizzes, which `ridge quiz`, the site and the
// class server read. course/quizzes/README.md describes the format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/course/lab.h"

namespace ridge::course {

class TableReader;

// How an answer is computed by warp_model or arithmetic; a test compares it with the answer in the
// file.
struct ComputedAnswer {
  std::string
      model;  // "sectors", "load_wavefronts", "store_wavefronts", "blocks_per_sm", "arithmetic", "lanes"
  std::string address;      // a C++ expression of `lane`: the byte address of the lane's access
  int64_t bytes = 4;        // per lane
  std::string value, over;  // expressions: value / over
  std::string where;        // an expression of `lane`, nonzero for the lanes of the answer
  int64_t threads = 0, registers = 0, shared_bytes = 0;  // per block, per thread, per block
};

// Reads the model and its expressions from a table [computed]; not the block's resources, which the
// exam's templates give as expressions.
ComputedAnswer read_model(TableReader& reader);

enum class QuestionKind { number, choice, lanes };

struct Question {
  std::string id;  // "first-sectors": unique in its file
  QuestionKind kind = QuestionKind::choice;
  std::string text;
  std::string table;    // rows of lanes, counts or code, in monospace; "": none
  std::string picture;  // a path in course/figures; "": none
  std::vector<std::string> choices;
  size_t right = 0;  // index of the correct choice, from 0
  double value = 0;
  double within_percent = 0;  // tolerance in percent of the value
  std::string unit;
  uint32_t lanes = 0;  // one bit per lane
  int64_t line = 0;    // for a diagnosis: the line of the table to be named; 0: not asked for
  std::string why;     // shown after the answer
  std::string read;    // the page that teaches it, a path from the root; "": none
  std::optional<ComputedAnswer> computed;
};

struct ScenarioChoice {
  std::string text, reply;
  std::string next;  // name of the next step; "": the scenario ends
  bool good = false;
};
struct ScenarioStep {
  std::string name, text;
  std::vector<ScenarioChoice> choices;
};
// An interview as a sequence of steps with branches; it begins with the first step.
struct Scenario {
  std::string id, title;
  std::vector<ScenarioStep> steps;
};

struct Quiz {
  std::string name;  // "04-tiled-gemm": the file's name
  std::string title;
  std::vector<Question> questions;
  std::vector<Scenario> scenarios;
};

// Reads course/quizzes/*.toml, sorted by name. Throws CourseError: file, line, what is wrong, what
// is allowed there.
std::vector<Quiz> load_quizzes(const std::filesystem::path& root);

// Finds a quiz by "04", "04-tiled-gemm", "tiled-gemm", "scenarios". Throws NotFound with the
// existing names.
const Quiz& find_quiz(const std::vector<Quiz>& quizzes, const std::string& text);

// Parses "0, 4, 8-11" to one bit per lane; no value when the text is not a list of lanes.
std::optional<uint32_t> lanes_in(std::string_view text);

enum class Judgement {
  right,
  wrong,
  no_answer
};  // no_answer: the text does not fit this kind of question
// Judges a number, a letter ("b") or a list of lanes. A diagnosis expects "b 7": the choice and the
// line.
Judgement judge(const Question& question, std::string_view answer);
// The correct answer in the form that is typed: "16 sectors", "b", "0, 4", "b 7".
std::string right_answer(const Question& question);
// The expected form of the answer: "a number of sectors", "a letter", "a letter and a line, such as
// b 7", "lanes, such as 0, 4, 8-11".
std::string answer_form(const Question& question);

}  // namespace ridge::course
