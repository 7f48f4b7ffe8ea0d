// Detects an unchanged skeleton. Nothing is run then: the verdict is NOT STARTED, with the TODOs
// and their lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/course/lab.h"
#include "harness/grade/findings/outcome.h"

namespace ridge::grade {

// Marks the places to fill in. Every skeleton contains it and no solution does (`ridge check`).
inline constexpr std::string_view kSkeletonMark = "TODO";

// The text's tokens without comments and white space; equal for two texts that differ only in
// those. Line breaks remain only at the ends of preprocessor directives.
std::string code_of(std::string_view text);
// SHA-256 of code_of(text), as stored in labs/LAB/skeletons.sha256.
std::string code_sha256(std::string_view text);

struct Todo {
  int line = 0;      // from 1
  std::string text;  // "TODO (1 line): as many blocks as it takes", on one line
};
// The marks in comments, each with the rest of its paragraph.
std::vector<Todo> todos_in(std::string_view text);

// True when the code is that of the rung's skeleton; false when the course has no hash of it.
bool is_untouched(const course::Rung& rung, std::string_view text);
// The outcome NOT STARTED for an unchanged text. `shown` is the student's name of the file.
std::optional<Outcome> not_started(const course::Rung& rung, std::string_view text, const std::string& shown);

}  // namespace ridge::grade
