// `ridge class serve`: the server, its workers, and its messages at start.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/report/store/database.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/api/app.h"
#include "leaderboard/http/server.h"
#include "leaderboard/program/commands.h"
#include "leaderboard/program/local_workers.h"
#include "leaderboard/slurm/dispatcher.h"
#include "leaderboard/store/copy_database.h"
#include "leaderboard/store/log_file.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::atomic<bool> stop_asked{false};
constexpr std::chrono::seconds kFileIsRewritten{10};
constexpr rlim_t kMostDescriptors = 16'384;

void stop_when_asked() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_asked = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

// Each event stream holds a descriptor as long as a page is open.
void allow_many_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kMostDescriptors);
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string sign_in_url(Database& database, const std::string& url, int64_t class_id,
                        int64_t person_id, int64_t now_ms) {
  const IssuedToken code =
      issue_token(database, {TokenKind::sign_in, class_id, person_id, {}, now_ms, kDayMs, 1});
  return fmt::format("{}/#/sign-in/{}", url, code.secret);
}

// The links that the operator needs: new ones at every start, since only hashes are stored.
json introduce(Database& database, const std::vector<ClassSpec>& specs, const std::string& url,
               bool demo) {
  json links = {{"url", url}, {"classes", json::array()}};
  const int64_t now_ms = unix_ms();
  Transaction transaction(database);
  for (const ClassSpec& spec : specs) {
    const int64_t class_id = find_class(database, spec.name)->id;
    json one = {{"name", spec.name}, {"instructors", json::array()}};
    fmt::print("\n{} ({})\n", spec.title, spec.name);
    for (
        const Row& row : database.run(
            "SELECT id, name FROM people WHERE class_id = ? AND role = 'instructor' AND deleted_ms "
            "IS NULL ORDER BY id",
            {class_id})) {
      const std::string link = sign_in_url(database, url, class_id, row.number(0), now_ms);
      one["instructors"].push_back({{"name", row.text(1)}, {"link", link}});
      fmt::print("  instructor {}, once within a day:\n    {}\n", row.text(1), link);
    }
    if (demo) {
      const std::string code =
          issue_token(database, {TokenKind::join, class_id, {}, {}, now_ms, kDayMs, 100}).secret;
      one["join_code"] = code;
      fmt::print(
          "  a student joins from another clone of Ridgepoint:\n    ./ridge class join {} {}\n    ./ridge submit 02/4\n",
          url, code);
    }
    links["classes"].push_back(std::move(one));
  }
  transaction.commit();
  return links;
}

// The name of this server among those that share its database.
std::string server_name(const ClassSpec& spec) {
  char host[65] = "";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}:{}/", host, spec.port);
}

// Waits until `ridge class migrate` has written a database address other than `old`.
void wait_for_new_address(const fs::path& class_file, const course::Course& course,
                          const std::string& old) {
  const auto deadline = std::chrono::steady_clock::now() + kFileIsRewritten;
  while (database_of(read_class_file(class_file, course)) == old &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

// Returns true when the class has moved to another database and must be served from there.
bool serve_database(const ServeOptions& options) {
  const course::Course course = course::load(options.clone);
  std::vector<ClassSpec> specs;
  for (const fs::path& file : options.class_files)
    specs.push_back(read_class_file(file, course));
  ClassSpec& first = specs.front();
  if (options.port > 0) {
    first.port = options.port;
    first.public_url.clear();
  }
  const std::unique_ptr<Database> database = open_database(database_of(first));
  need_finished_move(*database);
  database->collect_statistics();
  Transaction setting_up(*database);
  for (const ClassSpec& spec : specs)
    create_or_update_class(*database, spec, unix_ms());
  const IssuedToken worker_token =
      issue_token(*database, {TokenKind::worker, {}, {}, {}, unix_ms(), 365 * kDayMs, {}});
  setting_up.commit();

  const std::string url = public_url(first);
  AppOptions app_options;
  app_options.public_url = url;
  app_options.secure_cookies = url.starts_with("https://");
  app_options.demo = options.demo;
  if (options.unsafe)
    app_options.unsafe_note =
        "Workers run without a sandbox (--unsafe): grade only files that you trust.";
  app_options.openid = first.openid;
  app_options.traces = first.traces;
  app_options.in_background = true;
  PackedPrograms programs;
  if (first.slurm && first.slurm->folder.empty()) {
    programs = pack_programs(options.clone, first.folder);
    app_options.programs = programs.file.string();
  }
  LogFile log(options.log.empty() ? first.folder / "class.log" : options.log);
  std::string last_trouble;  // also shown on standard error, once
  const bool to_a_file = options.log != "-";
  app_options.log = [&](const json& line) {
    log.write(line);
    if (line.at("event") != "trouble" || line.at("what") == last_trouble) return;
    last_trouble = line.at("what").get<std::string>();
    if (to_a_file) fmt::print(stderr, "ridge-class: {}\n", last_trouble);
  };
  App app(*database, course, app_options);
  ServerOptions server_options{first.address, first.port, pages_folder(), why_no_pages(),
                               first.behind_proxy};
  Server server(app, *database, server_options);
  const std::string own_name = server_name(first);
  app.recover_worker(own_name);  // the workers of the previous server ended with it

  LocalWorkers workers(
      {options.workers >= 0 ? options.workers : first.workers, own_name,
       fmt::format("http://{}:{}", first.address == "0.0.0.0" ? "127.0.0.1" : first.address,
                   server.port()),
       worker_token.secret, 200, options.clone, options.unsafe, first.folder / ".workers"});
  workers.start();
  std::optional<SlurmDispatcher> dispatcher;
  if (first.slurm && options.workers < 0)
    dispatcher.emplace(
        *database, app,
        DispatcherOptions{*first.slurm, first.slurm->server.empty() ? url : first.slurm->server,
                          programs.name, own_name, options.unsafe});
  fmt::print("The class server runs on {}. Ctrl-C ends it; submissions are kept.\n", url);
  if (const std::string missing = why_no_pages(); !missing.empty()) fmt::print("{}\n", missing);
  const json links = introduce(*database, specs, url, options.demo);
  std::fflush(stdout);
  log.write({{"at_ms", unix_ms()}, {"event", "server.started"}, {"url", url}});
  if (!options.secrets.empty()) {
    json secrets = links;
    secrets["worker_token"] = worker_token.secret;
    std::ofstream(options.secrets) << secrets.dump(1) << "\n";
  }

  int seconds = 0;
  bool moved = false;
  const auto say = [&](const std::string& trouble) {
    if (!trouble.empty() && trouble != last_trouble) app.report_trouble(trouble);
  };
  server.run(stop_asked, [&] {
    try {
      workers.watch([&](const std::string& name) {
        log.write({{"at_ms", unix_ms()}, {"event", "worker.ended"}, {"worker", name}});
        app.recover_worker(name);
      });
      moved = !moved_to(*database).empty();
      if (moved) {
        stop_asked = true;
        return;
      }
      if (++seconds % 5 == 0) app.recover_worker("");
      say(workers.refusal());
      if (dispatcher) say(dispatcher->tick());
    } catch (const report::StoreError& error) {
      say(error.what());
    }
  });
  log.write({{"at_ms", unix_ms()}, {"event", "server.ended"}});
  if (moved) {
    stop_asked = false;
    fmt::print("The class has moved to another database; it is served from there now.\n");
    wait_for_new_address(options.class_files.front(), course, database_of(first));
    return true;
  }
  Transaction ending(*database);
  revoke_token(*database, worker_token.id, unix_ms());
  ending.commit();
  return false;
}

}  // namespace

int serve(const ServeOptions& options) {
  stop_when_asked();
  allow_many_connections();
  while (serve_database(options)) {
  }
  fmt::print("The class server has ended.\n");
  return 0;
}

}  // namespace ridge::leaderboard
