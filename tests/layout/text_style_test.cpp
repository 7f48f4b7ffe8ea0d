// Words and patterns that the project does not use, with what to write instead. A pattern is listed only if it
// has no honest use here; a word that has one is left to the reader.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/layout/tree.h"

namespace {

using ridge::layout::lines_of;
using ridge::layout::project_files;

struct Avoided {
  const char* pattern;  // a regular expression
  const char* instead;
  // A line without one of these texts cannot match. std::regex is slow: 10 s for the project without them.
  std::vector<std::string_view> triggers;
};

const std::vector<Avoided> kAvoided = {
    {R"(\b\d[\d,.]* (bytes|elements|floats|threads|rows|loads|stores|sectors|registers|instructions|words|)"
     R"(blocks|ns|us|cycles|lanes|wavefronts) an? (thread|block|warp|lane|request|element|SM|instruction|)"
     R"(launch|load|store|row|call|round|k-step|line|word|file|cluster|stage)\b)"
     R"(|\b(once|one bit|one flag|times|instructions|requests|submissions) an? )"
     R"((warp|lane|block|launch|round|second|minute)\b)",
     "\"per\": 8 elements per thread",
     {" a ", " an "}},
    {R"(\bquads?\b|\bkQuads\b|_quads?\b)", "float4, or a 16-byte vector", {"uad"}},
    {R"(\b(give|take)_registers\b)",
     "register reallocation: warpgroup_reg_dealloc, warpgroup_reg_alloc",
     {"_registers"}},
    {R"(\b(begin|commit|wait)_products\b|\bproducts_but_last\b)",
     "wgmma_fence, wgmma_commit, wgmma_wait",
     {"products"}},
    {R"(\bstore_sums\b)", "store_accumulators", {"store_sums"}},
    {R"(^// Rung \d+ of \d+)",
     "the statement alone: the program prints the rung's number",
     {"// Rung"}},
    {R"(\bBlockVoice\b|\bWarpVoice\b)", "vector clock", {"Voice"}},
    {R"(\b(KnownAccess|hot_access|known_access)\b)",
     "inline cache, fast path",
     {"nownAccess", "_access"}},
    {R"(\b(QuietAccess|is_quiet|quiet_code|be_told|lets_go)\b)",
     "elided access, elision, notify",
     {"Quiet", "quiet", "be_told", "lets_go"}},
    {R"(\brow_sharing\b)", "register allocation", {"row_sharing"}},
    {R"(\bdoubt_of_\w+)", "check_*", {"doubt_of"}},
    {R"(\b(Examination|Contest|counted_beside|kMostWaited)\b)",
     "CaseChecker, TimingTarget: the noun that says what it does",
     {"Examination", "Contest", "counted_beside", "kMostWaited"}},
    {R"(\b(be_still|kNewMoment|hand_on|after_meeting|since_all_met|check_mend|told_of_trace)\b)",
     "the verb or noun that says what it does",
     {"be_still", "kNewMoment", "hand_on", "meeting", "all_met", "check_mend", "told_of_trace"}},
    {R"(\b(TraceWish|kPatience)\b)",
     "options; a name with what the limit is for, and its unit",
     {"TraceWish", "kPatience"}},
    {R"(^\s*// Of (?!a row of calls)(a|an|the|each|every|all|several|more|such|any|one|what|another) )",
     "a sentence with its noun: \"The bytes of all files\", not \"Of all files\"",
     {"// Of "}},
    {R"(\bfor want of\b)", "because there is no ...", {"for want"}},
};

const std::set<std::string> kTextFiles = {".h",  ".cpp", ".cu",   ".cuh",   ".inc", ".md",
                                          ".py", ".sh",  ".toml", ".cmake", ".txt", ".ptx"};

bool may_match(const std::string& line, const Avoided& avoided) {
  return std::any_of(
      avoided.triggers.begin(), avoided.triggers.end(),
      [&](std::string_view trigger) { return line.find(trigger) != std::string::npos; });
}

}  // namespace

TEST_CASE("the project's text uses the terms of the field") {
  std::vector<std::regex> patterns;
  for (const Avoided& avoided : kAvoided)
    patterns.emplace_back(avoided.pattern, std::regex::optimize);
  for (const std::string& file : project_files(kTextFiles)) {
    if (file.starts_with("course/measured/")) continue;  // records
    if (file == "tests/layout/text_style_test.cpp") continue;
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      for (size_t i = 0; i < patterns.size(); ++i) {
        std::smatch match;
        if (!may_match(line, kAvoided[i]) || !std::regex_search(line, match, patterns[i])) continue;
        INFO(fmt::format("{}:{} has \"{}\"; write {}", file, number, match.str(),
                         kAvoided[i].instead));
        CHECK(false);
      }
    }
  }
}

TEST_CASE("each avoided pattern finds what it is for") {
  const std::vector<std::string> found = {
      "16 bytes a lane",   "kQuads",          "give_registers<24>()",
      "begin_products()",  "store_sums(d)",   "// Rung 3 of 11: x",
      "BlockVoice voice;", "KnownAccess& at", "is_quiet(access)",
      "row_sharing.h",     "doubt_of_child(", "Examination",
      "be_still()",
      "kPatience",         "  // Of the files", "for want of room"};
  REQUIRE(found.size() == kAvoided.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(found[i]);
    CHECK(may_match(found[i], kAvoided[i]));
    CHECK(std::regex_search(found[i], std::regex(kAvoided[i].pattern)));
  }
  for (const char* honest : {"128 bytes per warp", "3 rows, a thread each", "two floats at a time"})
    for (const Avoided& avoided : kAvoided) {
      INFO(honest << " matches " << avoided.pattern);
      CHECK_FALSE(std::regex_search(std::string(honest), std::regex(avoided.pattern)));
    }
}
