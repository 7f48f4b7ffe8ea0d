#include "harness/cli/class/submission.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/cli/clone.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/grade/verdict.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/text.h"
#include "leaderboard/client/http_client.h"
#include "text/layout.h"

namespace ridge::cli {

using leaderboard::Membership;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

constexpr auto kPollEvery = 400ms;
constexpr int kMostSilentPolls = 120;

std::string refusal(const leaderboard::HttpAnswer& answer) {
  const json body = json::parse(answer.body, nullptr, false);
  if (!body.is_object() || !body.contains("error") || !body["error"].is_object())
    return fmt::format("the class server answers {}", answer.status);
  const std::string next = body["error"].value("next", "");
  return report::printable(body["error"].value("what", "") + (next.empty() ? "" : ". " + next));
}

std::string words_of(const json& submission) {
  if (submission.value("state", "") != "queued")
    return report::printable(submission.value("progress", "being graded"));
  const int64_t ahead = submission.value("ahead", int64_t{0});
  return ahead == 0 ? "waiting, next in the queue"
                    : fmt::format("waiting, {} before it in the queue", ahead);
}

const json& grade_of(const json& done) {
  if (done.contains("grade") && done.at("grade").is_object()) return done.at("grade");
  throw MachineError(fmt::format(
      "submission {} could not be graded on the server; your instructor sees it and can regrade it",
      done.value("id", int64_t{0})));
}

}  // namespace

Membership own_membership() {
  if (auto membership = leaderboard::read_membership(clone_root())) return *membership;
  throw UsageError(
      "this clone has joined no class; your instructor gives you the command: ridge class join URL CODE");
}

std::string HandedIn::sentence() const {
  std::string text =
      fmt::format("Handed in as submission {} for {}", number, report::printable(assignment));
  if (late_factor == 0)
    text += ", after the last late day: it does not count";
  else if (late_factor < 1)
    text += fmt::format(", late: it counts {:.0f}%", 100 * late_factor);
  return text + ".";
}

HandedIn hand_in(const Membership& own, const Submission& submission) {
  json body = {{"rung", submission.rung->path()},
               {"files", {{{"name", submission.rung->name + ".cu"}, {"text", submission.text}}}},
               {"hints", submission.hints_shown}};
  if (!submission.assignment.empty()) body["assignment"] = submission.assignment;
  std::string text;
  try {
    text = body.dump();
  } catch (const json::type_error&) {
    throw UsageError("the file is not UTF-8 text; save it as UTF-8 and hand it in again");
  }
  const leaderboard::HttpAnswer answer = leaderboard::ask(
      {"POST", fmt::format("{}/api/v1/classes/{}/submissions", own.url, own.class_name), own.token,
       text, 30});
  if (answer.status != 201) throw MachineError(refusal(answer));
  const json received = json::parse(answer.body);
  return {received.at("submission"), received.at("assignment"), received.value("url", ""),
          received.value("late_factor", 1.0)};
}

json follow(const Membership& own, int64_t number,
            const std::function<void(std::string_view)>& progress) {
  for (int silent = 0;;) {
    try {
      const leaderboard::HttpAnswer answer = leaderboard::ask(
          {"GET", fmt::format("{}/api/v1/submissions/{}", own.url, number), own.token, "", 20});
      if (answer.status == 200) {
        json submission = json::parse(answer.body);
        const std::string state = submission.value("state", "");
        if (state == "graded" || state == "failed") return submission;
        progress(words_of(submission));
      } else if (answer.status < 500 && answer.status != 429) {
        throw MachineError(refusal(answer));
      }
      silent = 0;
    } catch (const leaderboard::HttpError& error) {
      if (++silent > kMostSilentPolls)
        throw MachineError(fmt::format(
            "{}; the submission is kept, and its verdict will be on the page", error.what()));
      progress("the server does not answer; trying again");
    }
    std::this_thread::sleep_for(kPollEvery);
  }
}

std::string verdict_text(const json& done, const HandedIn& received, const course::Rung& rung,
                         const report::Style& style) {
  const json& grade = grade_of(done);
  const grade::Verdict verdict = grade::verdict_from(grade.at("verdict").get<std::string>());
  const size_t width = static_cast<size_t>(style.width);
  std::string text = fmt::format(
      "{}  {}\n", style.paint(report::colour_of(verdict), std::string(grade::to_string(verdict))),
      rung.path());
  for (const char* part : {"summary", "next"})
    text += text::wrapped(report::printable(grade.value(part, "")), width, 2);
  return text + fmt::format("  graded by the class server on {} in {:.1f} s; {}\n",
                            report::printable(grade.value("device", "")),
                            grade.value("seconds", 0.0), report::printable(received.url));
}

bool has_passed(const json& done) {
  return grade::passed(grade::verdict_from(grade_of(done).at("verdict").get<std::string>()));
}

}  // namespace ridge::cli
