// `ridge quiz`: asks the questions of a quiz file in the terminal.
#include "harness/course/quiz.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/terminal.h"

namespace ridge::cli {
namespace {

struct Score {
  int right = 0, asked = 0;
};

// Prints text, wrapped at the terminal's width.
void say(const std::string& text) {
  const report::Style style = report::style_of(1);
  for (const std::string& line :
       report::folded(text, static_cast<size_t>(std::min(style.width, 100))))
    fmt::print("{}\n", line);
}

// Returns false at the end of the input.
bool ask(const std::string& form, std::string& answer) {
  fmt::print("{}> ", form);
  std::fflush(stdout);
  if (!std::getline(std::cin, answer)) {
    fmt::print("\n");
    return false;
  }
  return true;
}

void show_choices(const std::vector<std::string>& choices) {
  for (size_t i = 0; i < choices.size(); ++i)
    say(fmt::format("  {}) {}", static_cast<char>('a' + i), choices[i]));
}

bool ask_question(const course::Question& question, Score& score) {
  say("\n" + question.text);
  if (!question.table.empty()) fmt::print("\n{}\n", question.table);
  if (!question.picture.empty()) fmt::print("picture: {}\n", question.picture);
  show_choices(question.choices);
  for (std::string answer;;) {
    if (!ask(course::answer_form(question), answer)) return false;
    const course::Judgement judgement = course::judge(question, answer);
    if (judgement == course::Judgement::no_answer) continue;  // the prompt says what to type
    ++score.asked;
    const bool right = judgement == course::Judgement::right;
    score.right += right;
    say(right ? "Right. " + question.why
              : fmt::format("Wrong: it is {}. {}", course::right_answer(question), question.why));
    if (!right && !question.read.empty()) say("Read: " + question.read);
    return true;
  }
}

const course::ScenarioStep& step_named(const course::Scenario& scenario, const std::string& name) {
  return *std::find_if(scenario.steps.begin(), scenario.steps.end(),
                       [&](const course::ScenarioStep& step) { return step.name == name; });
}

bool play(const course::Scenario& scenario, Score& score) {
  fmt::print("\n== {} ==\n", scenario.title);
  for (std::string at = scenario.steps.front().name; !at.empty();) {
    const course::ScenarioStep& step = step_named(scenario, at);
    say("\n" + step.text);
    course::Question question;
    for (const course::ScenarioChoice& choice : step.choices)
      question.choices.push_back(choice.text);
    show_choices(question.choices);
    std::string answer;
    do {
      if (!ask("a letter", answer)) return false;
    } while (course::judge(question, answer) == course::Judgement::no_answer);
    const size_t first = answer.find_first_not_of(" \t");
    const auto& choice = step.choices[static_cast<size_t>((answer[first] | 0x20) - 'a')];
    ++score.asked;
    score.right += choice.good;
    say(choice.reply);
    at = choice.next;
  }
  return true;
}

int list(const std::vector<course::Quiz>& quizzes) {
  for (const course::Quiz& quiz : quizzes)
    fmt::print("{:<28}{:>3} questions  {}\n", quiz.name,
               quiz.questions.size() + quiz.scenarios.size(), quiz.title);
  return kPassed;
}

int take(const course::Quiz& quiz) {
  fmt::print("{}: {} questions. End with Ctrl-D.\n", quiz.title,
             quiz.questions.size() + quiz.scenarios.size());
  Score score;
  const bool to_the_end =
      std::all_of(
          quiz.questions.begin(), quiz.questions.end(),
          [&](const course::Question& question) { return ask_question(question, score); }) &&
      std::all_of(quiz.scenarios.begin(), quiz.scenarios.end(),
                  [&](const course::Scenario& scenario) { return play(scenario, score); });
  if (score.asked == 0)
    fmt::print("\nNo question was answered.\n");
  else
    fmt::print("\n{} of {} right.\n", score.right, score.asked);
  return to_the_end && score.right == score.asked ? kPassed : kNotPassed;
}

}  // namespace

void add_quiz(CLI::App& program, Invocation& invocation) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("quiz", "questions on a lab, with answers explained");
  command->add_option("NAME", *name,
                      "a lab (04), scenarios, roofline or diagnosis; without it: all quizzes");
  command->footer(
      "Exit status 0: every question was answered right, else 1.\nExample:\n  ridge quiz 04");
  command->callback([name, &invocation] {
    const auto quizzes = course::load_quizzes(clone_root());
    invocation.exit_status =
        name->empty() ? list(quizzes) : take(course::find_quiz(quizzes, *name));
  });
}

}  // namespace ridge::cli
