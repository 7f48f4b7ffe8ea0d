// The program ridge-class, which `ridge class` starts.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

#include "leaderboard/program/commands.h"
#include "leaderboard/worker/worker.h"
#include "text/command_line_error.h"

namespace ridge::leaderboard {
namespace {

namespace fs = std::filesystem;

fs::path clone_root() {
  if (const char* root = std::getenv("RIDGE_ROOT"); root && *root)
    return fs::absolute(root).lexically_normal();
  return fs::current_path();
}

int run(int argument_count, char** arguments) {
  CLI::App program("The class server of Ridgepoint.", "ridge class");
  program.require_subcommand(1);
  int exit_status = 0;
  const fs::path clone = clone_root();

  DemoOptions demo_options;
  demo_options.clone = clone;
  demo_options.folder = clone / ".ridge" / "class-demo";
  CLI::App* demo_command =
      program.add_subcommand("demo", "a class to look at, with synthetic students");
  demo_command->add_option("--port", demo_options.port, "instead of 8180");
  demo_command->add_option("--folder", demo_options.folder, "where the class is kept");
  demo_command->add_option("--database", demo_options.database,
                           "a file in that folder, or postgresql://user@host/name");
  demo_command->add_option("--workers", demo_options.workers, "gradings at a time");
  demo_command->add_option("--students", demo_options.students, "synthetic students");
  demo_command->add_option("--submissions", demo_options.submissions, "synthetic submissions");
  demo_command->add_flag("--fresh", demo_options.fresh,
                         "start over: the demonstration's folder is removed first");
  demo_command->add_flag("--unsafe", demo_options.unsafe,
                         "grade without a sandbox; every page says so");
  demo_command->add_option("--secrets", demo_options.secrets,
                           "write links and codes to this file, for tests");
  demo_command->callback([&] { exit_status = demo(demo_options); });

  ServeOptions serve_options;
  serve_options.clone = clone;
  CLI::App* serve_command = program.add_subcommand("serve", "run a class");
  serve_command
      ->add_option("CLASS.toml", serve_options.class_files,
                   "the class; several share the first one's server")
      ->required()
      ->check(CLI::ExistingFile);
  serve_command->add_option("--port", serve_options.port, "instead of the file's");
  serve_command->add_option("--workers", serve_options.workers, "instead of the file's");
  serve_command->add_flag("--unsafe", serve_options.unsafe,
                          "grade without a sandbox; every page says so");
  serve_command->add_option("--secrets", serve_options.secrets,
                            "write links and codes to this file, for tests");
  serve_command->add_option(
      "--log", serve_options.log,
      "one JSON object per line; default: class.log in the class's folder; -: standard error");
  serve_command->callback([&] { exit_status = serve(serve_options); });

  fs::path class_file, target;
  std::string email;
  const auto with_class = [&](const char* name, const char* text) {
    CLI::App* command = program.add_subcommand(name, text);
    command->add_option("CLASS.toml", class_file, "the class")
        ->required()
        ->check(CLI::ExistingFile);
    return command;
  };
  with_class("status", "students, queue and deadlines of a class")->callback([&] {
    exit_status = status(clone, class_file);
  });
  CLI::App* link = with_class("link", "a new sign-in link for an instructor");
  link->add_option("EMAIL", email, "of one instructor; else all");
  link->callback([&] { exit_status = sign_in_link(clone, class_file, email); });
  CLI::App* backup = with_class("backup", "a copy of the database, while the server runs");
  backup->add_option("FILE", target, "the copy")->required();
  backup->callback([&] { exit_status = back_up(clone, class_file, target); });
  std::string url;
  CLI::App* migrating =
      with_class("migrate", "moves the class to PostgreSQL, while the server runs");
  migrating->add_option("URL", url, "an empty database: postgresql://user@host/name")->required();
  migrating->callback([&] { exit_status = migrate(clone, class_file, url); });
  with_class("doctor", "whether this machine can run the class, and what to fix")->callback([&] {
    exit_status = doctor(clone, class_file);
  });
  CLI::App* kit = program.add_subcommand(
      "kit", "a folder to begin with: class.toml, roster, exam, syllabi, slides, nginx, container");
  kit->add_option("FOLDER", target, "a new folder")->required();
  bool no_slides = false;
  kit->add_flag("--no-slides", no_slides, "leave out slides and PDFs, which need Node.js");
  kit->callback([&] { exit_status = write_kit(clone, target, !no_slides); });
  CLI::App* packing = program.add_subcommand(
      "pack", "a folder that runs a class on a machine without Node.js and without a build");
  packing->add_option("FOLDER", target, "a new folder")->required();
  packing->callback([&] { exit_status = pack(clone, target); });

  WorkersOptions workers;
  workers.clone = clone;
  CLI::App* workers_command = program.add_subcommand(
      "workers", "this machine grades for a class server elsewhere: one worker per GPU");
  workers_command->add_option("URL", workers.url, "the server's address")->required();
  workers_command
      ->add_option("--token-file", workers.token_file,
                   "holds the token that the page Workers has shown; readable for you only")
      ->required()
      ->check(CLI::ExistingFile);
  workers_command->add_option("--count", workers.count, "default: one per GPU, or one");
  workers_command->add_flag("--unsafe", workers.unsafe, "grade without a sandbox");
  workers_command->callback([&] { exit_status = run_workers(workers); });

  WorkerOptions worker;
  worker.clone = clone;
  CLI::App* worker_command =
      program.add_subcommand("worker", "grades for a server; its token comes on standard input");
  worker_command->add_option("--server", worker.url, "the server's address")->required();
  worker_command->add_option("--name", worker.name, "what the log calls it")->required();
  worker_command->add_option("--clone", worker.clone, "the labs");
  worker_command->add_option("--scratch", worker.scratch, "a folder of its own")->required();
  worker_command->add_option("--jobs", worker.most_jobs, "ends after this many jobs");
  worker_command->add_option("--idle", worker.most_idle_ms,
                             "milliseconds between two questions while there is no job");
  worker_command->add_flag("--unsafe", worker.unsafe, "grade without a sandbox");
  worker_command->callback([&] {
    std::getline(std::cin, worker.token);
    exit_status = run_worker(worker);
  });

  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    fmt::print(stderr, "ridge class: {}\n", text::command_line_error(program, error));
    return 2;
  }
  return exit_status;
}

}  // namespace
}  // namespace ridge::leaderboard

int main(int argument_count, char** arguments) {
  try {
    return ridge::leaderboard::run(argument_count, arguments);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "ridge class: {}\n", error.what());
    return 3;
  }
}
