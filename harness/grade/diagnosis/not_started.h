// Is a file still the rung's skeleton? Then nothing is run: the verdict is NOT STARTED, with what is to be
// done and where.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/course/lab.h"
#include "harness/grade/findings/outcome.h"

namespace ridge::grade {

// Marks the places to fill in. Every skeleton has it and no solution does (`ridge check`).
inline constexpr std::string_view kSkeletonMark = "TODO";

// The text's tokens without comments and white space: two texts that differ only in those have the same. A
// line break remains only at the ends of preprocessor directives.
std::string code_of(std::string_view text);
// SHA-256 of code_of(text): what labs/LAB/skeletons.sha256 holds of each rung.
std::string code_sha256(std::string_view text);

struct Todo {
  int line = 0;      // from 1
  std::string text;  // "TODO (1 line): as many blocks as it takes", in one line
};
// The marks in comments, each with its comment to the end of the paragraph.
std::vector<Todo> todos_in(std::string_view text);

// Is the code that of the rung's untouched skeleton? false where the course does not say what that is.
bool is_untouched(const course::Rung& rung, std::string_view text);
// NOT STARTED for a text that is untouched. `shown` is the file's name as the learner knows it.
std::optional<Outcome> not_started(const course::Rung& rung, std::string_view text, const std::string& shown);

}  // namespace ridge::grade
