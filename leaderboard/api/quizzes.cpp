// Answers to a quiz of the course: judged here, and kept in the log of the class.
#include <fmt/format.h>

#include "harness/course/quiz.h"
#include "leaderboard/api/handlers.h"

namespace ridge::leaderboard::handlers {

namespace {

constexpr size_t kMostAnswerBytes = 100;

// The quizzes that came with the server. A damaged file is the server's trouble, and not the student's.
const std::vector<course::Quiz>& quizzes_of(const Call& call) {
  static const auto all = course::load_quizzes(call.app.course().root);
  return all;
}

}  // namespace

// {"quiz": "02-coalescing", "answers": {"stride-2": "8", "same-bank-lanes": "1, 5-9"}}, each as `ridge quiz` takes it.
Response hand_in_quiz(Call& call) {
  const std::string name = call.needed_text("quiz");
  const auto answers = call.body.find("answers");
  if (answers == call.body.end() || !answers->is_object())
    throw ApiError{400, "\"answers\" must be an object of texts by question"};
  const auto& quizzes = quizzes_of(call);
  const auto quiz = std::find_if(quizzes.begin(), quizzes.end(),
                                 [&](const course::Quiz& one) { return one.name == name; });
  if (quiz == quizzes.end() || quiz->questions.empty())
    throw ApiError{404, "there is no such quiz with questions", "`ridge quiz` lists them."};
  size_t right = 0;
  for (const course::Question& question : quiz->questions) {
    const auto answer = answers->find(question.id);
    if (answer == answers->end() || !answer->is_string()) continue;
    const std::string text = *answer;
    right += text.size() <= kMostAnswerBytes &&
             course::judge(question, text) == course::Judgement::right;
  }
  call.log("quiz.answered", fmt::format("{} {} of {}", quiz->name, right, quiz->questions.size()),
           0, call.who.person_id);
  return json_response({{"quiz", quiz->name}, {"right", right}, {"of", quiz->questions.size()}});
}

}  // namespace ridge::leaderboard::handlers
