// Draws the numbers of exam questions from a secret and writes exam and answers.
#include "harness/exam/exam.h"

#include <fmt/format.h>

namespace ridge::exam {
namespace {

// FNV-1a: spreads a text over 64 bits.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  return hash;
}

// SplitMix64's last step: neighbouring hashes give unrelated numbers.
uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "{" + name + "}";
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  }
  return text;
}

// "8 sectors", "lanes 1, 5-8".
std::string answer_of(const Template& asked, course::ComputedAnswer computed,
                      const Values& values) {
  course::Question question;
  question.kind = asked.kind;
  question.unit = asked.unit;
  if (asked.kind == course::QuestionKind::lanes) {
    question.lanes = computed_lanes(computed, values);
    return "lanes " + course::right_answer(question);
  }
  question.value = computed_value(computed, values);
  if (asked.within_percent > 0)
    return fmt::format("{:.4g}{}{}", question.value, asked.unit.empty() ? "" : " ", asked.unit);
  return course::right_answer(question);
}

}  // namespace

Question draw(const Template& asked, std::string_view secret) {
  Values values;
  std::map<std::string, std::string> texts;
  for (const auto& [name, choices] : asked.draw) {
    const uint64_t number = mixed(hash_of(fmt::format("{}/{}/{}", secret, asked.id, name)));
    values[name] = choices[number % choices.size()];
    texts[name] = std::to_string(values[name]);
  }
  course::ComputedAnswer computed = asked.computed;
  for (const auto& [expression, field] : {std::pair{&asked.threads, &computed.threads},
                                          {&asked.registers, &computed.registers},
                                          {&asked.shared_bytes, &computed.shared_bytes}})
    if (!expression->empty()) *field = value_of(*expression, values);
  Question question{asked.id, asked.topic, filled(asked.text, texts), "", "", asked.points};
  question.answer = answer_of(asked, computed, values);
  texts["answer"] = question.answer;
  question.why = filled(asked.why, texts);
  return question;
}

std::string exam_text(const std::vector<Question>& questions) {
  int points = 0;
  for (const Question& question : questions)
    points += question.points;
  std::string text = fmt::format(
      "# Exam\n\n{} questions, {} points. Show how each answer follows: an answer without its derivation is worth "
      "half.\n\nName: ______________________________\n",
      questions.size(), points);
  std::string topic;
  int number = 0;
  for (const Question& question : questions) {
    if (question.topic != topic) text += fmt::format("\n## {}\n\n", topic = question.topic);
    text += fmt::format("**{}.** ({} points) {}\n\n", ++number, question.points, question.text);
  }
  return text;
}

std::string answers_text(const std::vector<Question>& questions) {
  std::string text =
      "# Answers\n\nFor graders only. They belong to the exam beside this file: another class has other numbers.\n\n";
  int number = 0;
  for (const Question& question : questions)
    text += fmt::format("{}. **{}** ({} points). {}\n", ++number, question.answer, question.points,
                        question.why);
  return text;
}

}  // namespace ridge::exam
