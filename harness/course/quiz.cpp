#include "harness/course/quiz.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace ridge::course {
namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// Parses "1,024", "16 sectors" and "0.083" as numbers.
std::optional<double> parsed_number(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<uint32_t> lane_number(const std::string& text) {
  if (text.empty() || text.size() > 2 || text.find_first_not_of("0123456789") != std::string::npos)
    return {};
  const unsigned lane = static_cast<unsigned>(std::stoul(text));
  return lane < 32 ? std::optional<uint32_t>(lane) : std::nullopt;
}

Judgement judge_choice(const Question& question, const std::string& answer) {
  std::istringstream words(answer);
  std::string letter, line;
  words >> letter >> line;
  if (letter.size() != 1 || (question.line > 0 && !parsed_number(line)))
    return Judgement::no_answer;
  const int choice = (letter[0] | 0x20) - 'a';
  if (choice < 0 || choice >= static_cast<int>(question.choices.size()))
    return Judgement::no_answer;
  const bool line_right =
      question.line == 0 || *parsed_number(line) == static_cast<double>(question.line);
  return choice == static_cast<int>(question.right) && line_right ? Judgement::right
                                                                  : Judgement::wrong;
}

Judgement judged(bool right) {
  return right ? Judgement::right : Judgement::wrong;
}

}  // namespace

std::optional<uint32_t> lanes_in(std::string_view text) {
  uint32_t lanes = 0;
  std::istringstream parts{std::string(text)};
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t dash = part.find('-');
    const auto first = lane_number(trimmed(part.substr(0, dash)));
    const auto last =
        dash == std::string::npos ? first : lane_number(trimmed(part.substr(dash + 1)));
    if (!first || !last || *first > *last) return std::nullopt;
    for (uint32_t lane = *first; lane <= *last; ++lane)
      lanes |= 1u << lane;
  }
  return lanes == 0 ? std::nullopt : std::optional<uint32_t>(lanes);
}

Judgement judge(const Question& question, std::string_view answer) {
  const std::string text = trimmed(answer);
  if (question.kind == QuestionKind::choice) return judge_choice(question, text);
  if (question.kind == QuestionKind::lanes) {
    const auto lanes = lanes_in(text);
    return lanes ? judged(*lanes == question.lanes) : Judgement::no_answer;
  }
  const auto value = parsed_number(text);
  if (!value) return Judgement::no_answer;
  const double off = std::max(std::abs(question.value) * question.within_percent / 100, 1e-9);
  return judged(std::abs(*value - question.value) <= off);
}

std::string right_answer(const Question& question) {
  if (question.kind == QuestionKind::number)
    return fmt::format("{:.10g}{}{}", question.value, question.unit.empty() ? "" : " ",
                       question.unit);
  if (question.kind == QuestionKind::choice) {
    const char letter = static_cast<char>('a' + question.right);
    return question.line > 0 ? fmt::format("{} {}", letter, question.line) : std::string(1, letter);
  }
  std::string text;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(question.lanes >> lane & 1)) continue;
    uint32_t last = lane;
    while (last < 31 && question.lanes >> (last + 1) & 1)
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lane);
    if (last > lane) text += fmt::format("-{}", last);
    lane = last;
  }
  return text;
}

std::string answer_form(const Question& question) {
  if (question.kind == QuestionKind::lanes) return "lanes, such as 0, 4, 8-11";
  if (question.kind == QuestionKind::number)
    return question.unit.empty() ? "a number" : "a number of " + question.unit;
  return question.line > 0 ? "a letter and a line, such as b 7" : "a letter";
}

const Quiz& find_quiz(const std::vector<Quiz>& quizzes, const std::string& text) {
  std::string names;
  for (const Quiz& quiz : quizzes) {
    const size_t dash = quiz.name.find('-');
    if (text == quiz.name || text == quiz.name.substr(0, dash) ||
        (dash != std::string::npos && text == quiz.name.substr(dash + 1)))
      return quiz;
    names += (names.empty() ? "" : ", ") + quiz.name;
  }
  throw NotFound(
      fmt::format("there is no quiz \"{}\"; there are {}", text, names.empty() ? "none" : names));
}

}  // namespace ridge::course
