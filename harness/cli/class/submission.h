// One submission to the class, from upload to verdict: shared by `ridge submit` and watch mode.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "harness/course/lab.h"
#include "harness/report/text/terminal.h"
#include "leaderboard/client/membership.h"

namespace ridge::cli {

// The class that this clone has joined. Throws UsageError with how to join one.
leaderboard::Membership own_membership();

struct HandedIn {
  int64_t number = 0;
  std::string assignment, url;
  double late_factor = 1;  // 0: after the last late day

  std::string sentence()
      const;  // "Handed in as submission 12 for coalescing, late: it counts 90%."
};

struct Submission {
  const course::Rung* rung = nullptr;
  std::string text;             // of the file
  std::string assignment = {};  // "": the server chooses
  int hints_shown = 0;          // for the instructor's list of who is stuck
};

// Throws UsageError for text that is not UTF-8, MachineError with the server's message when it
// refuses, and leaderboard::HttpError when it cannot be reached.
HandedIn hand_in(const leaderboard::Membership& own, const Submission& submission);

// Polls until the submission is graded, also across a restart of the server. Returns the submission
// as the server reports it. Throws MachineError.
nlohmann::json follow(const leaderboard::Membership& own, int64_t number,
                      const std::function<void(std::string_view)>& progress);

// Throws MachineError when the server could not grade it.
std::string verdict_text(const nlohmann::json& done, const HandedIn& received,
                         const course::Rung& rung, const report::Style& style);
bool has_passed(const nlohmann::json& done);

}  // namespace ridge::cli
