#include "harness/grade/verdict.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace ridge::grade {

namespace {

constexpr std::array<std::string_view, 14> kWords = {
    "COMPILE ERROR", "LAUNCH ERROR", "WRONG",   "OUT OF BOUNDS", "RACE", "UNINITIALISED", "DEADLOCK",
    "TIMEOUT",       "SLOW",         "SUSPECT", "PASS",          "GOLD", "SKIPPED",
    "NOT STARTED"};
static_assert(static_cast<size_t>(Verdict::not_started) + 1 == kWords.size());

}  // namespace

std::string_view to_string(Verdict verdict) {
  return kWords.at(static_cast<size_t>(verdict));
}

Verdict verdict_from(std::string_view text) {
  for (size_t i = 0; i < kWords.size(); ++i)
    if (kWords[i] == text) return static_cast<Verdict>(i);
  throw std::invalid_argument(
      fmt::format("\"{}\" is not a verdict; the verdicts are: {}", text, fmt::join(kWords, ", ")));
}

bool passed(Verdict verdict) {
  return verdict == Verdict::pass || verdict == Verdict::gold;
}

bool graded(Verdict verdict) {
  return verdict != Verdict::skipped && verdict != Verdict::not_started;
}

}  // namespace ridge::grade
