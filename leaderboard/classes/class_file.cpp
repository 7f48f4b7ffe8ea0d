// Reads CLASS.toml. Unknown keys are errors: a mistyped deadline must not be ignored.
#include "leaderboard/classes/class_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "leaderboard/classes/class_table.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/jobs/targets.h"
#include "leaderboard/store/database.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

namespace {

std::vector<RungWeight> rungs_of(const ClassTable& table, const course::Course& course) {
  const toml::node* node = table.find("rungs");
  const toml::array* list = node ? node->as_array() : nullptr;
  if (!list || list->empty())
    table.fail(node,
               "\"rungs\" must be a list such as [\"02/1\", { rung = \"02/4\", weight = 2 }]");
  std::vector<RungWeight> rungs;
  for (const toml::node& entry : *list) {
    std::string name = entry.value_or(std::string());
    double weight = 1;
    if (const toml::table* pair = entry.as_table()) {
      name = (*pair)["rung"].value_or(std::string());
      weight = (*pair)["weight"].value_or(1.0);
    }
    if (!(weight > 0)) table.fail(&entry, "a weight must be above 0");
    try {
      for (const course::Rung* rung : course::find(course, name))
        rungs.push_back({rung->path(), weight});
    } catch (const course::NotFound& error) {
      table.fail(&entry, error.what());
    }
  }
  return rungs;
}

void read_late(const ClassTable& table, AssignmentSpec& spec) {
  const toml::node* node = table.find("late");
  if (!node) return;
  const toml::table* late = node->as_table();
  if (!late)
    table.fail(node, "\"late\" must be a table such as { percent_per_day = 10, days = 3 }");
  const ClassTable inner(*late, table.file(), "assignment.late");
  inner.allow({"percent_per_day", "days"});
  spec.late_percent_per_day = inner.value<double>("percent_per_day", 0, "a number");
  spec.late_days = static_cast<int>(inner.value<int64_t>("days", 0, "a whole number"));
  if (spec.late_percent_per_day < 0 || spec.late_percent_per_day > 100 || spec.late_days < 0 ||
      spec.late_days > 365)
    table.fail(node, "\"late\" takes off 0 to 100 percent per day, for 0 to 365 days");
}

// engine = "virtual", or a list whose first target counts: ["gpu:H200", "gpu:A100", "virtual"].
void read_targets(const ClassTable& table, AssignmentSpec& spec) {
  const toml::node* node = table.find("engine");
  if (!node) return;
  std::vector<std::string> targets;
  if (const toml::array* list = node->as_array())
    for (const toml::node& entry : *list)
      targets.push_back(entry.value_or(std::string()));
  else
    targets.push_back(node->value_or(std::string()));
  if (const std::string complaint = complaint_about_targets(targets); !complaint.empty())
    table.fail(node, complaint);
  spec.engine = targets.front();
  spec.further_targets = {targets.begin() + 1, targets.end()};
}

AssignmentSpec assignment_of(const ClassTable& table, const std::string& zone,
                             const course::Course& course) {
  table.allow({"name", "title", "rungs", "due", "hidden_until", "late", "engine", "points"});
  AssignmentSpec spec;
  spec.name = table.plain_name("name");
  spec.title = table.text("title", spec.name);
  spec.rungs = rungs_of(table, course);
  read_targets(table, spec);
  spec.points = table.value<double>("points", 100, "a number");
  table.needed_text("due");
  spec.due_ms = table.time("due", zone);
  spec.hidden_until_ms = table.time("hidden_until", zone);
  if (!(spec.points > 0)) table.fail(table.find("points"), "\"points\" must be above 0");
  read_late(table, spec);
  return spec;
}

// A number of local workers, or "slurm".
void read_workers(const ClassTable& table, ClassSpec& spec) {
  const toml::node* node = table.find("workers");
  if (node && node->value_or(std::string()) == "slurm") {
    spec.workers = 0;
    spec.slurm.emplace();
    return;
  }
  spec.workers =
      static_cast<int>(table.value<int64_t>("workers", 1, "a whole number, or \"slurm\""));
  if (spec.workers < 0 || spec.workers > 64)
    table.fail(node, "\"workers\" must be 0 to 64, or \"slurm\"");
}

void read_server(const ClassTable& table, ClassSpec& spec) {
  table.allow({"listen", "workers", "database", "public_url", "behind_proxy", "traces"});
  const std::string listen = table.text("listen", "127.0.0.1:8180");
  const size_t colon = listen.rfind(':');
  const int64_t port = colon == listen.npos ? 0 : std::atoi(listen.c_str() + colon + 1);
  if (port < 1 || port > 65535)
    table.fail(
        table.find("listen"),
        fmt::format("\"listen\" is \"{}\"; write address:port, such as 127.0.0.1:8180", listen));
  spec.address = listen.substr(0, colon);
  spec.port = static_cast<int>(port);
  read_workers(table, spec);
  spec.database = table.text("database", "class.db");
  if (spec.database.find("://") != spec.database.npos && !is_postgresql(spec.database))
    table.fail(table.find("database"),
               "\"database\" must be a file name in the class's folder, such as class.db, or an "
               "address such as postgresql://user@host/name");
  spec.public_url = table.text("public_url");
  spec.behind_proxy = table.value<bool>("behind_proxy", false, "true or false");
  spec.traces = table.value<bool>("traces", false, "true or false");
}

void read_openid(const ClassTable& table, ClassSpec& spec) {
  table.allow({"issuer", "client_id", "client_secret", "name"});
  OpenIdProvider provider{table.needed_text("issuer"), table.needed_text("client_id"),
                          table.needed_text("client_secret"), table.text("name", "OpenID")};
  if (const std::string complaint = complaint_about_provider(provider); !complaint.empty())
    table.fail(table.find("issuer"), complaint);
  spec.openid = provider;
}

}  // namespace

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 40 &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return letter < 128 && (std::isalnum(letter) || letter == '-' || letter == '_');
         });
}

ClassSpec read_class_text(const std::string& text, const std::string& file_name,
                          const course::Course& course) {
  toml::table document;
  try {
    document = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(
        fmt::format("{}:{}: {}", file_name, error.source().begin.line, error.description()));
  }
  ClassTable(document, file_name, "the file")
      .allow({"class", "server", "slurm", "openid", "instructor", "assignment"});
  const toml::table* described = document["class"].as_table();
  if (!described)
    throw std::runtime_error(
        fmt::format("{}: [class] is missing; `ridge class kit` writes an example", file_name));
  ClassSpec spec;
  const ClassTable table(*described, file_name, "class");
  table.allow({"name", "title", "time_zone", "counts", "public_board"});
  spec.name = table.plain_name("name");
  spec.title = table.text("title", spec.name);
  spec.time_zone = table.text("time_zone", "UTC");
  if (!is_time_zone(spec.time_zone))
    table.fail(
        table.find("time_zone"),
        fmt::format("\"{}\" is not a time zone; write one such as Europe/Berlin (package tzdata)",
                    spec.time_zone));
  spec.counts = table.one_of("counts", "best", {"best", "last", "chosen"});
  spec.public_board = table.value<bool>("public_board", false, "true or false");
  if (const toml::table* server = document["server"].as_table())
    read_server(ClassTable(*server, file_name, "server"), spec);
  if (const toml::table* slurm = document["slurm"].as_table())
    read_slurm(ClassTable(*slurm, file_name, "slurm"), spec);
  if (const toml::table* openid = document["openid"].as_table())
    read_openid(ClassTable(*openid, file_name, "openid"), spec);
  if (const toml::array* list = document["instructor"].as_array())
    for (const toml::node& node : *list)
      if (const toml::table* entry = node.as_table()) {
        const ClassTable person(*entry, file_name, "instructor");
        person.allow({"name", "email"});
        spec.instructors.push_back({person.needed_text("name"), person.needed_text("email")});
      }
  if (spec.instructors.empty())
    table.fail(nullptr, "no [[instructor]] with name and email: nobody could run the class");
  std::set<std::string> names;
  if (const toml::array* list = document["assignment"].as_array())
    for (const toml::node& node : *list)
      if (const toml::table* entry = node.as_table()) {
        const ClassTable assignment(*entry, file_name, "assignment");
        spec.assignments.push_back(assignment_of(assignment, spec.time_zone, course));
        if (!names.insert(spec.assignments.back().name).second)
          assignment.fail(nullptr, fmt::format("the assignment \"{}\" is there twice",
                                               spec.assignments.back().name));
      }
  if (spec.slurm && spec.slurm->targets.empty()) spec.slurm->targets.push_back({"virtual"});
  return spec;
}

ClassSpec read_class_file(const std::filesystem::path& file, const course::Course& course) {
  const auto text = text::read_file_if_readable(file);
  if (!text)
    throw std::runtime_error(
        fmt::format("cannot read {}; `ridge class kit FOLDER` writes an example", file.string()));
  ClassSpec spec = read_class_text(*text, file.string(), course);
  spec.folder = std::filesystem::absolute(file).parent_path();
  return spec;
}

}  // namespace ridge::leaderboard
