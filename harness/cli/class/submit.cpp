// `ridge submit`: hands a rung in to the class and follows it to its verdict.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/text.h"
#include "leaderboard/client/http_client.h"
#include "leaderboard/client/membership.h"
#include "text/layout.h"
#include "text/whole_file.h"

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;
using leaderboard::Membership;
using nlohmann::json;
using namespace std::chrono_literals;

struct SubmitOptions {
  std::string name, file, assignment;
  bool no_wait = false;
};

std::string refusal(const leaderboard::HttpAnswer& answer) {
  const json body = json::parse(answer.body, nullptr, false);
  if (!body.is_object() || !body.contains("error") || !body["error"].is_object())
    return fmt::format("the class server answers {}", answer.status);
  const std::string next = body["error"].value("next", "");
  return report::printable(body["error"].value("what", "") + (next.empty() ? "" : ". " + next));
}

json hand_in(const Membership& own, const course::Rung& rung, const SubmitOptions& options) {
  const fs::path source = options.file.empty() ? source_of(rung, false) : fs::path(options.file);
  json body = {{"rung", rung.path()},
               {"files", {{{"name", rung.name + ".cu"}, {"text", text::read_file(source)}}}}};
  if (!options.assignment.empty()) body["assignment"] = options.assignment;
  std::string text;
  try {
    text = body.dump();
  } catch (const json::type_error&) {
    throw UsageError(fmt::format("{} is not UTF-8 text; save it as UTF-8 and hand it in again",
                                 source.string()));
  }
  const leaderboard::HttpAnswer answer = leaderboard::ask(
      {"POST", fmt::format("{}/api/v1/classes/{}/submissions", own.url, own.class_name), own.token,
       text, 30});
  if (answer.status != 201) throw MachineError(refusal(answer));
  return json::parse(answer.body);
}

std::string words_of(const json& submission) {
  const std::string state = submission.value("state", "");
  if (state == "queued") {
    const int64_t ahead = submission.value("ahead", int64_t{0});
    return ahead == 0 ? "waiting, next in the queue"
                      : fmt::format("waiting, {} before it in the queue", ahead);
  }
  return report::printable(submission.value("progress", "being graded"));
}

// Polls until it is graded. A server that starts again meanwhile is waited for.
json follow(const Membership& own, int64_t number, const std::string& label) {
  ProgressLine line;
  for (int silent = 0;;) {
    try {
      const leaderboard::HttpAnswer answer = leaderboard::ask(
          {"GET", fmt::format("{}/api/v1/submissions/{}", own.url, number), own.token, "", 20});
      if (answer.status == 200) {
        json submission = json::parse(answer.body);
        const std::string state = submission.value("state", "");
        if (state == "graded" || state == "failed") return submission;
        line.show(fmt::format("{}: {}", label, words_of(submission)));
      } else if (answer.status < 500 && answer.status != 429) {
        throw MachineError(refusal(answer));
      }
      silent = 0;
    } catch (const leaderboard::HttpError& error) {
      if (++silent > 120)
        throw MachineError(fmt::format(
            "{}; the submission is kept, and its verdict will be on the page", error.what()));
      line.show(fmt::format("{}: the server does not answer; trying again", label));
    }
    std::this_thread::sleep_for(400ms);
  }
}

int submit(const SubmitOptions& options) {
  const fs::path root = clone_root();
  const auto own = leaderboard::read_membership(root);
  if (!own)
    throw UsageError(
        "this clone has joined no class; your instructor gives you the command: ridge class join URL CODE");
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, options.name);
  if (rungs.size() != 1)
    throw UsageError(
        fmt::format("{} names {} rungs; hand in one, such as 02/4", options.name, rungs.size()));
  const course::Rung& rung = *rungs.front();
  const json received = hand_in(*own, rung, options);
  const int64_t number = received.at("submission");
  const report::Style style = report::style_of(1);
  fmt::print("Handed in as submission {} for {}", number,
             report::printable(received.at("assignment").get<std::string>()));
  if (const double factor = received.value("late_factor", 1.0); factor < 1)
    fmt::print(", {}", factor == 0 ? "after the last late day: it does not count"
                                   : fmt::format("late: it counts {:.0f}%", 100 * factor));
  fmt::print(".\n");
  std::fflush(stdout);
  if (options.no_wait) return kPassed;
  say_when_interrupted(fmt::format("submission {} is with the server and will be graded", number));
  const json done = follow(*own, number, rung.path());
  if (!done.at("grade").is_object())
    throw MachineError(fmt::format(
        "submission {} could not be graded on the server; your instructor sees it and can regrade it",
        number));
  const json& grade = done.at("grade");
  const grade::Verdict verdict = grade::verdict_from(grade.at("verdict").get<std::string>());
  std::string text = fmt::format(
      "{}  {}\n", style.paint(report::colour_of(verdict), std::string(grade::to_string(verdict))),
      rung.path());
  text += text::wrapped(report::printable(grade.value("summary", "")),
                        static_cast<size_t>(style.width), 2);
  text += text::wrapped(report::printable(grade.value("next", "")),
                        static_cast<size_t>(style.width), 2);
  text += fmt::format("  graded by the class server on {} in {:.1f} s; {}\n",
                      report::printable(grade.value("device", "")), grade.value("seconds", 0.0),
                      report::printable(received.value("url", "")));
  fmt::print("{}", report::fitted(text, style));
  return grade::passed(verdict) ? kPassed : kNotPassed;
}

}  // namespace

void add_submit(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App* command =
      program.add_subcommand("submit", "hand in a rung to your class and follow its verdict");
  command->add_option("LAB/RUNG", options->name, "such as 02/4")->required();
  command->add_option("--file", options->file, "hand in this file instead of the clone's")
      ->check(CLI::ExistingFile);
  command->add_option("--assignment", options->assignment,
                      "where several assignments have the rung");
  command->add_flag("--no-wait", options->no_wait, "do not wait for the verdict");
  command->footer(
      "Exit status: 0 passed, 1 not passed, 2 wrong usage, 3 the class could not be reached or refuses.\n"
      "Example:\n  ridge class join http://127.0.0.1:8180 CODE      # once\n  ridge submit 02/4");
  command->callback([options, &invocation] { invocation.exit_status = submit(*options); });
}

}  // namespace ridge::cli
