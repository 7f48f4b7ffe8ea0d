// Gives waiting jobs to Slurm, one batch job per attempt, and follows what becomes of them.
//
// The database decides: a batch job must claim its attempt with its own token before it grades, and
// can claim it once. What Slurm says of a job is a hint, by the job's name: a controller that was
// killed may have lost jobs or may use their numbers again. A job that Slurm does not know waits
// again; one that Slurm has ended without a result has lost its attempt; a job whose attempt is over
// is cancelled.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "leaderboard/api/app.h"
#include "leaderboard/http/work_thread.h"
#include "leaderboard/slurm/commands.h"

namespace ridge::leaderboard {

struct DispatcherOptions {
  SlurmSpec slurm;
  std::string server;    // as the nodes reach it
  std::string programs;  // the name of what nodes fetch; "": nothing can be fetched
  std::string holder;    // this server, among those on the database
  bool unsafe = false;
};

// Slurm's commands; tests have others.
struct SlurmCommands {
  std::function<std::string(const BatchJob&)> submit = submit_batch;
  std::function<std::string(const std::string&)> cancel = cancel_batch;
  std::function<std::vector<SlurmJob>(const std::string&)> jobs = batch_jobs;
};

class SlurmDispatcher {
 public:
  SlurmDispatcher(Database& database, App& app, DispatcherOptions options,
                  SlurmCommands commands = {});
  // Every second, on the App's thread. Slurm's commands run on another thread. "" or what is wrong
  // with Slurm.
  std::string tick();
  bool busy() const;  // a round of commands is under way

 private:
  // One round of commands and what came of it.
  struct Round {
    int64_t begun_ms = 0;
    std::vector<BatchJob> submit;
    std::vector<std::string> cancel;
    std::map<std::string, std::string> refused;  // by name: why
    std::optional<std::vector<SlurmJob>> jobs;   // none: Slurm did not answer
    std::string trouble;
  };
  void begin_round();
  void run(Round& round) const;
  void place_waiting(Round& round);
  void finish(const Round& round);
  void follow(const Round& round, std::vector<Change>& changes);
  std::string new_name(const WaitingJob& job) const;
  const SlurmTarget* target_for(const std::string& target) const;

  Database& database_;
  App& app_;
  DispatcherOptions options_;
  SlurmCommands commands_;
  std::string prefix_;  // of the names of this database's jobs
  std::vector<std::string> to_cancel_;
  int64_t next_round_ms_ = 0;
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<WorkThread> thread_;  // the last member: its job refers to the others
};

}  // namespace ridge::leaderboard
