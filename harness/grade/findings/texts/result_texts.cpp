// The texts for grades that passed, were skipped, or have not started.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kResultTexts[] = {
    {"not_started.no_code", "{title}: {idea}",
     "Read the comment at the top of {file}, write the code, save, and grade again: ridge grade {rung}. For a hint: "
     "ridge hint {rung}."},
    {"not_started.places", "The file has no code of yours yet. There {are} to fill in:", ""},
    {"not_started.no_marks",
     "The file has no code of yours yet. Its {mark} comments, which mark the places to fill in, "
     "are missing; `ridge reset {rung}` restores them.",
     ""},

    {"pass.counted", "The answers are right for {cases} size{s}{gates}.",
     "Go on to the next rung."},

    {"pass.not_timed", "The answers are right for {cases} sizes. This rung is not timed.",
     "Go on to the next rung."},

    {"pass.measured", "Right everywhere, at {percent}% of {baseline} ({time_ms} ms, {rate}).",
     "Gold starts at {gold}%."},
    {"gold.measured", "Right everywhere, at {percent}% of {baseline} ({time_ms} ms, {rate}): {gold}% is gold.",
     "Go on to the next rung."},

    {"skipped.no_memory", "There was no room to run it.",
     "Free device memory (is another program using it?), or grade on the virtual GPU (--on "
     "virtual)."},
    {"skipped.not_prepared", "Its inputs or its baseline could not be prepared.",
     "Mend what the message names, or grade on the virtual GPU (--on virtual)."},
    {"skipped.no_library",
     "The answers are right; to time them {library} is needed, which is not on this machine.",
     "`ridge doctor` says how to get it; without it, grade on the virtual GPU (--on virtual)."},
    {"skipped.no_gpu", "A GPU is needed, and {why}.",
     "Count on the virtual GPU instead: --on virtual. `ridge doctor` says what is missing."},
    {"skipped.no_gpu_to_grade", "A GPU is needed, and {why}.",
     "Grade on the virtual GPU: --on virtual. `ridge doctor` says what is missing."},
    {"skipped.not_graded", "The file could not be graded: {why}.",
     "Fix that and grade this file again; the other files are not affected."},
    {"skipped.no_skeleton", "There is no file {file}.",
     "`ridge reset {rung}` puts the skeleton there."},
    {"skipped.no_file", "There is no file {file}.",
     "`git checkout` or a fresh clone restores it."},
};
// clang-format on

}  // namespace

std::span<const FindingText> result_texts() {
  return kResultTexts;
}

}  // namespace ridge::grade
