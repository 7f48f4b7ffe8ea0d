// `ridge class`: the student's commands of a class, and the start of the class server.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness/cli/class/submission.h"
#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/program_start.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/report/text/fold.h"
#include "leaderboard/client/http_client.h"
#include "leaderboard/client/membership.h"

namespace ridge::cli {
namespace {

using leaderboard::Membership;
using nlohmann::json;

struct ClassOptions {
  std::string url, code, name, email;
};

std::string user_name() {
  const char* name = getenv("USER");
  return name && *name ? name : "student";
}

// The answer as JSON. Throws MachineError with the server's message when it refuses.
json asked(const leaderboard::HttpQuestion& question) {
  const leaderboard::HttpAnswer answer = leaderboard::ask(question);
  json body = json::parse(answer.body, nullptr, false);
  if (answer.status >= 200 && answer.status < 300) return body;
  std::string why = fmt::format("the class server answers {}", answer.status);
  if (body.is_object() && body.contains("error") && body["error"].is_object()) {
    why = body["error"].value("what", why);
    if (const std::string next = body["error"].value("next", ""); !next.empty()) why += ". " + next;
  }
  throw MachineError(report::printable(why));
}

int join(ClassOptions options) {
  while (options.url.ends_with('/'))
    options.url.pop_back();
  if (options.name.empty()) options.name = user_name();
  const json joined = asked(
      {"POST", options.url + "/api/v1/join", "",
       json{{"code", options.code}, {"name", options.name}, {"email", options.email}}.dump(), 20});
  Membership membership{options.url, joined.at("class").at("name"), joined.at("class").at("title"),
                        joined.at("student").at("name"), joined.at("token")};
  write_membership(clone_root(), membership);
  fmt::print(
      "You are in {} as {}. Hand in with: ridge submit 02/4\nThe board and your history: ridge class sign-in\n",
      report::printable(membership.title), report::printable(membership.student));
  return kPassed;
}

int sign_in() {
  const Membership own = own_membership();
  const json code = asked({"POST", own.url + "/api/v1/sign-in-codes", own.token, "{}", 20});
  fmt::print("Open this in a browser, once within {} minutes:\n  {}\n",
             code.at("minutes").get<int>(), report::printable(code.at("url").get<std::string>()));
  return kPassed;
}

int status() {
  const Membership own = own_membership();
  const json shown = asked(
      {"GET", fmt::format("{}/api/v1/classes/{}", own.url, own.class_name), own.token, "", 20});
  fmt::print("{}, as {} ({})\n", report::printable(shown.at("title").get<std::string>()),
             report::printable(own.student), own.url);
  for (const json& assignment : shown.at("assignments")) {
    const json& scores = assignment.at("own");
    fmt::print("  {} ({}): {:.1f} of {:.0f} points, due {}\n",
               report::printable(assignment.at("title").get<std::string>()),
               report::printable(assignment.at("name").get<std::string>()),
               scores.at("points").get<double>(), assignment.at("points").get<double>(),
               report::printable(scores.at("due").get<std::string>()));
    for (const json& rung : assignment.at("rungs")) {
      const std::string path = rung.at("path");
      const auto found = scores.at("rungs").find(path);
      fmt::print("    {:<36} {}\n", report::printable(path),
                 found == scores.at("rungs").end()
                     ? "-"
                     : report::printable(found->at("verdict").get<std::string>()));
    }
  }
  return kPassed;
}

// Runs ridge-class, which the script ./ridge has built before.
int run_server_program(const std::vector<std::string>& words) {
  const auto server = program_folder() / "ridge-class";
  if (access(server.c_str(), X_OK) != 0)
    throw MachineError(
        "the class server, ridge-class, was not built; run this by ./ridge in the clone, which builds it");
  become(server, words, "build it by ./ridge class");
}

}  // namespace

void add_class(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "class", "a class: join one as a student, or run one (demo, serve, ...)");
  auto options = std::make_shared<ClassOptions>();
  CLI::App* joining = command->add_subcommand("join", "join a class with this clone, once");
  joining->add_option("URL", options->url, "the class's address")->required();
  joining->add_option("CODE", options->code, "the join code that you were given")->required();
  joining->add_option("--name", options->name, "your name, where the code is not a personal one");
  joining->add_option("--email", options->email, "your e-mail address, likewise");
  joining->callback([options, &invocation] { invocation.exit_status = join(*options); });
  command->add_subcommand("status", "your assignments, deadlines and points")
      ->callback([&invocation] { invocation.exit_status = status(); });
  command->add_subcommand("sign-in", "a link that signs your browser in")->callback([&invocation] {
    invocation.exit_status = sign_in();
  });
  command->footer(
      "For instructors (installs and builds the class server on first use):\n"
      "  ridge class demo                     a class to look at, with synthetic students\n"
      "  ridge class kit FOLDER               class.toml, roster, handout: to begin with\n"
      "  ridge class serve CLASS.toml         run a class\n"
      "  ridge class status|link|doctor CLASS.toml    its state, a sign-in link, whether all is well\n"
      "  ridge class backup CLASS.toml FILE   a copy while it runs\n"
      "  ridge class migrate CLASS.toml URL   to PostgreSQL, while it runs\n"
      "  ridge class workers URL              this machine grades for a server elsewhere\n"
      "  ridge class pack FOLDER              a folder for a machine without Node.js\n"
      "Example:\n  ridge class join http://127.0.0.1:8180 CODE");
  command->callback([command, &invocation] {
    if (!invocation.rest.empty())
      invocation.exit_status = run_server_program(invocation.rest);
    else if (command->get_subcommands().empty())
      throw UsageError(
          "say what: ridge class join, status, sign-in, demo, serve, backup, doctor, kit or pack; see ridge class --help");
  });
}

}  // namespace ridge::cli
