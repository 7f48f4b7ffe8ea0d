// Reads CLASS.toml. Unknown keys are errors: a mistyped deadline must not be none.
#include "leaderboard/classes/class_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "leaderboard/classes/local_time.h"
#include "leaderboard/store/database.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

namespace {

class Table {
 public:
  Table(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  [[noreturn]] void fail(const toml::node* node, const std::string& what) const {
    const auto line = (node ? node->source() : table_.source()).begin.line;
    throw std::runtime_error(fmt::format("{}:{}: {}", file_, line, what));
  }

  void allow(const std::vector<std::string>& keys) const {
    for (const auto& [key, node] : table_)
      if (const std::string name(key.str());
          std::find(keys.begin(), keys.end(), name) == keys.end())
        fail(&node,
             fmt::format("[{}] has no \"{}\"; it may have {}", name_, name, fmt::join(keys, ", ")));
  }

  const toml::node* find(const char* key) const { return table_.get(key); }

  template <class T>
  T value(const char* key, T otherwise, const char* expected) const {
    const toml::node* node = table_.get(key);
    if (!node) return otherwise;
    if (const auto found = node->value<T>()) return *found;
    fail(node, fmt::format("\"{}\" must be {}", key, expected));
  }

  std::string text(const char* key, const std::string& otherwise = "") const {
    return value<std::string>(key, otherwise, "a text in quotes");
  }

  std::string needed_text(const char* key) const {
    if (!table_.get(key)) fail(nullptr, fmt::format("[{}] lacks \"{}\"", name_, key));
    return text(key);
  }

  std::string one_of(const char* key, const std::string& otherwise,
                     const std::set<std::string>& words) const {
    const std::string word = text(key, otherwise);
    if (!words.contains(word))
      fail(table_.get(key),
           fmt::format("\"{}\" is \"{}\"; it must be {}", key, word, fmt::join(words, " or ")));
    return word;
  }

  std::string plain_name(const char* key) const {
    const std::string name = needed_text(key);
    if (!is_plain_name(name))
      fail(table_.get(key),
           fmt::format("\"{}\" is not a valid name: letters, digits, - and _, at most 40", name));
    return name;
  }

  int64_t time(const char* key, const std::string& zone) const {
    const std::string local = text(key);
    try {
      return local.empty() ? 0 : utc_ms_of(local, zone);
    } catch (const std::runtime_error& error) {
      fail(table_.get(key), error.what());
    }
  }

  const std::string& file() const { return file_; }

 private:
  const toml::table& table_;
  std::string file_, name_;
};

std::vector<RungWeight> rungs_of(const Table& table, const course::Course& course) {
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

void read_late(const Table& table, AssignmentSpec& spec) {
  const toml::node* node = table.find("late");
  if (!node) return;
  const toml::table* late = node->as_table();
  if (!late)
    table.fail(node, "\"late\" must be a table such as { percent_per_day = 10, days = 3 }");
  const Table inner(*late, table.file(), "assignment.late");
  inner.allow({"percent_per_day", "days"});
  spec.late_percent_per_day = inner.value<double>("percent_per_day", 0, "a number");
  spec.late_days = static_cast<int>(inner.value<int64_t>("days", 0, "a whole number"));
  if (spec.late_percent_per_day < 0 || spec.late_percent_per_day > 100 || spec.late_days < 0 ||
      spec.late_days > 365)
    table.fail(node, "\"late\" takes off 0 to 100 percent per day, for 0 to 365 days");
}

AssignmentSpec assignment_of(const Table& table, const std::string& zone,
                             const course::Course& course) {
  table.allow({"name", "title", "rungs", "due", "hidden_until", "late", "engine", "points"});
  AssignmentSpec spec;
  spec.name = table.plain_name("name");
  spec.title = table.text("title", spec.name);
  spec.rungs = rungs_of(table, course);
  spec.engine = table.one_of("engine", "virtual", {"virtual", "gpu"});
  spec.points = table.value<double>("points", 100, "a number");
  table.needed_text("due");
  spec.due_ms = table.time("due", zone);
  spec.hidden_until_ms = table.time("hidden_until", zone);
  if (!(spec.points > 0)) table.fail(table.find("points"), "\"points\" must be above 0");
  read_late(table, spec);
  return spec;
}

void read_server(const Table& table, ClassSpec& spec) {
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
  spec.workers = static_cast<int>(table.value<int64_t>("workers", 1, "a whole number"));
  if (spec.workers < 0 || spec.workers > 64)
    table.fail(table.find("workers"), "\"workers\" must be 0 to 64");
  spec.database = table.text("database", "class.db");
  if (spec.database.find("://") != spec.database.npos && !is_postgresql(spec.database))
    table.fail(table.find("database"),
               "\"database\" must be a file name in the class's folder, such as class.db, or an "
               "address such as postgresql://user@host/name");
  spec.public_url = table.text("public_url");
  spec.behind_proxy = table.value<bool>("behind_proxy", false, "true or false");
  spec.traces = table.value<bool>("traces", false, "true or false");
}

void read_openid(const Table& table, ClassSpec& spec) {
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
  Table(document, file_name, "the file")
      .allow({"class", "server", "openid", "instructor", "assignment"});
  const toml::table* described = document["class"].as_table();
  if (!described)
    throw std::runtime_error(
        fmt::format("{}: [class] is missing; `ridge class kit` writes an example", file_name));
  ClassSpec spec;
  const Table table(*described, file_name, "class");
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
    read_server(Table(*server, file_name, "server"), spec);
  if (const toml::table* openid = document["openid"].as_table())
    read_openid(Table(*openid, file_name, "openid"), spec);
  if (const toml::array* list = document["instructor"].as_array())
    for (const toml::node& node : *list)
      if (const toml::table* entry = node.as_table()) {
        const Table person(*entry, file_name, "instructor");
        person.allow({"name", "email"});
        spec.instructors.push_back({person.needed_text("name"), person.needed_text("email")});
      }
  if (spec.instructors.empty())
    table.fail(nullptr, "no [[instructor]] with name and email: nobody could run the class");
  std::set<std::string> names;
  if (const toml::array* list = document["assignment"].as_array())
    for (const toml::node& node : *list)
      if (const toml::table* entry = node.as_table()) {
        const Table assignment(*entry, file_name, "assignment");
        spec.assignments.push_back(assignment_of(assignment, spec.time_zone, course));
        if (!names.insert(spec.assignments.back().name).second)
          assignment.fail(nullptr, fmt::format("the assignment \"{}\" is there twice",
                                               spec.assignments.back().name));
      }
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
