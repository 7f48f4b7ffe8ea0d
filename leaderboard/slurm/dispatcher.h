// Gives waiting jobs to Slurm, one batch job per attempt, and tracks their state.
//
// The database decides: a batch job must claim its attempt with its own token before it grades, and
// can claim it once. Slurm's report about a job, found by its name, is only a hint: a controller
// that was killed may have lost jobs or may reuse their numbers. A job that Slurm does not know
// waits again; one that Slurm has ended without a result, or that runs for a lease without a claim,
// has lost its attempt; a batch job whose attempt is over is cancelled.
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
  std::string server;    // as seen by the nodes
  std::string programs;  // the name of the programs that nodes download; "": none
  std::string holder;    // this server's name, unique on the database
  bool unsafe = false;
};

// Slurm's commands; tests replace them.
struct SlurmCommands {
  std::function<std::string(const BatchJob&)> submit = submit_batch;
  std::function<std::string(const std::string&)> cancel = cancel_batch;
  std::function<std::vector<SlurmJob>(const std::string&)> jobs = batch_jobs;
};

class SlurmDispatcher {
 public:
  SlurmDispatcher(Database& database, App& app, DispatcherOptions options,
                  SlurmCommands commands = {});
  // Called every second on the App's thread; Slurm's commands run on another thread. Returns "" or
  // the problem with Slurm.
  std::string tick();
  bool busy() const;  // a round of commands is running

 private:
  // One round of commands and its results.
  struct Round {
    int64_t begun_ms = 0;
    std::vector<BatchJob> submit;
    std::vector<std::string> cancel;
    std::map<std::string, std::string> refused;  // by name: the reason
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
  std::string prefix_;  // of the job names of this database
  std::vector<std::string> to_cancel_;
  int64_t next_round_ms_ = 0;
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<WorkThread> thread_;  // the last member: its job refers to the others
};

}  // namespace ridge::leaderboard
