// Exams whose figures follow from a secret. The clone holds the questions as templates (course/kit/exam.toml): the
// numbers in them are drawn from the secret, and the answers are computed from the numbers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/course/quiz.h"
#include "harness/exam/computed.h"

namespace ridge::exam {

struct Template {
  std::string id, topic;  // "stride-sectors", "02 Coalescing"
  int points = 0;
  std::string text, why;                             // with {name} for a number, {answer} in `why`
  std::map<std::string, std::vector<int64_t>> draw;  // what each number may be
  std::string unit;                                  // "" for lanes
  course::QuestionKind kind = course::QuestionKind::number;  // number or lanes
  double within_percent = 0;
  course::ComputedAnswer computed;
  std::string threads, registers, shared_bytes;  // expressions, for occupancy
};

struct Question {
  std::string id, topic, text, answer, why;
  int points = 0;
};

// course/kit/exam.toml under `root`. Throws course::CourseError with file and line.
std::vector<Template> load_templates(const std::filesystem::path& root);

// The same secret gives the same question; another secret other numbers. Throws ComputeError.
Question draw(const Template& asked, std::string_view secret);

// The exam and its answers in Markdown, in the templates' order.
std::string exam_text(const std::vector<Question>& questions);
std::string answers_text(const std::vector<Question>& questions);

}  // namespace ridge::exam
