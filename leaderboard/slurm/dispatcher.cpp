// Runs the dispatcher's rounds: places waiting jobs, runs Slurm's commands in a separate thread,
// and applies Slurm's answers.
#include "leaderboard/slurm/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "leaderboard/access/secrets.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/slurm/job_script.h"
#include "leaderboard/store/duty.h"

namespace ridge::leaderboard {

namespace {

constexpr int64_t kDutyMs = 60'000;            // longer than a round in which all commands time out
constexpr int64_t kTokenLivesMs = 2 * kDayMs;  // a job may wait this long for a GPU
// Jobs placed this shortly before a query may be missing in the answer.
constexpr int64_t kSettlingMs = 3000;
constexpr int64_t kSilentMs = 15'000;  // a live worker renews its lease every 5 s
// After a refusal by Slurm; workers that pull can take the waiting jobs meanwhile.
constexpr int64_t kPauseMs = 10'000;
constexpr size_t kMostPerRound = 20;

// Whether a job that runs by Slurm's word has not claimed its attempt for a lease: its node is
// broken, or cannot reach the server. A job never starts before it was placed, so that a
// controller whose clock is slow ends none too early.
bool is_unclaimed(const SlurmJob& job, int64_t placed_ms, int64_t now_ms) {
  return job.has_started() && std::max(job.started_ms, placed_ms) + kLeaseMs < now_ms;
}

}  // namespace

struct SlurmDispatcher::Shared {
  std::mutex mutex;
  bool running = false;
  std::optional<Round> done;
};

SlurmDispatcher::SlurmDispatcher(Database& database, App& app, DispatcherOptions options,
                                 SlurmCommands commands)
    : database_(database),
      app_(app),
      options_(std::move(options)),
      commands_(std::move(commands)),
      prefix_("ridge-" + hash_of_secret(app.board_salt()).substr(0, 8) + "-"),
      shared_(std::make_shared<Shared>()),
      thread_(std::make_unique<WorkThread>()) {}

bool SlurmDispatcher::busy() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->running;
}

std::string SlurmDispatcher::tick() {
  std::optional<Round> done;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->running) return "";
    done = std::exchange(shared_->done, std::nullopt);
  }
  std::string trouble;
  if (done) {
    finish(*done);
    trouble = done->trouble;
  }
  if (app_.now_ms() >= next_round_ms_) begin_round();
  return trouble;
}

void SlurmDispatcher::begin_round() {
  auto round = std::make_shared<Round>();
  round->begun_ms = app_.now_ms();
  next_round_ms_ = round->begun_ms + options_.slurm.poll_seconds * 1000;
  bool mine = false;
  app_.change([&](std::vector<Change>&) {
    mine = hold_duty(database_, "slurm", options_.holder, round->begun_ms, kDutyMs);
    if (mine) place_waiting(*round);
  });
  if (!mine) return;
  round->cancel = std::exchange(to_cancel_, {});
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->running = true;
  }
  thread_->add([this, round, shared = shared_] {
    run(*round);
    const std::lock_guard lock(shared->mutex);
    shared->done = std::move(*round);
    shared->running = false;
  });
}

// Runs on the other thread.
void SlurmDispatcher::run(Round& round) const {
  for (const std::string& name : round.cancel)
    if (const std::string trouble = commands_.cancel(name); !trouble.empty())
      round.trouble = trouble;
  for (const BatchJob& job : round.submit) {
    // A controller that does not answer is tried once per round.
    const std::string trouble =
        round.refused.empty() ? commands_.submit(job) : round.refused.begin()->second;
    if (trouble.empty()) continue;
    round.refused[job.name] = trouble;
    round.trouble = trouble;
  }
  try {
    round.begun_ms = app_.now_ms();
    round.jobs = commands_.jobs(prefix_);
  } catch (const std::exception& error) {
    round.trouble = error.what();
  }
}

std::string SlurmDispatcher::new_name(const WaitingJob& job) const {
  return fmt::format("{}{}-{}-{}", prefix_, job.submission_id, job.attempt,
                     random_seed().substr(0, 6));
}

const SlurmTarget* SlurmDispatcher::target_for(const std::string& target) const {
  for (const SlurmTarget& one : options_.slurm.targets)
    if (one.engine == target) return &one;
  return nullptr;
}

void SlurmDispatcher::place_waiting(Round& round) {
  const int64_t now_ms = round.begun_ms;
  const int64_t placed =
      number_from(database_,
                  "SELECT count(*) FROM jobs WHERE placed <> '' AND state IN ('waiting', 'leased')",
                  {})
          .value_or(0);
  const size_t room = static_cast<size_t>(std::max<int64_t>(0, options_.slurm.most_jobs - placed));
  while (round.submit.size() < std::min(room, kMostPerRound)) {
    const auto job =
        next_waiting(database_, [&](const std::string& one) { return target_for(one) != nullptr; });
    if (!job) return;
    BatchJob batch;
    batch.name = new_name(*job);
    batch.target = *target_for(job->target);
    batch.minutes = options_.slurm.minutes + 1;
    batch.output = options_.slurm.output;
    const IssuedToken token =
        issue_token(database_, {TokenKind::job, job->class_id, {}, {}, now_ms, kTokenLivesMs, {}});
    batch.script = script_text({batch.name, options_.server, token.secret, options_.slurm.folder,
                                options_.programs, options_.slurm.minutes * 60, options_.unsafe});
    place(database_, *job, batch.name, token.id, now_ms);
    round.submit.push_back(std::move(batch));
  }
}

void SlurmDispatcher::finish(const Round& round) {
  if (!round.refused.empty()) next_round_ms_ = app_.now_ms() + kPauseMs;
  app_.change([&](std::vector<Change>& changes) {
    for (const auto& [name, trouble] : round.refused)
      take_back(database_, name, app_.now_ms());
    if (round.jobs) follow(round, changes);
  });
}

void SlurmDispatcher::follow(const Round& round, std::vector<Change>& changes) {
  const int64_t now_ms = app_.now_ms();
  std::map<std::string, const SlurmJob*> known;
  for (const SlurmJob& job : *round.jobs)
    if (const auto [at, fresh] = known.try_emplace(job.name, &job); !fresh && job.waits_or_runs())
      at->second = &job;
  std::set<std::string> open;
  for (
      const Row& row : database_.run(
          "SELECT placed, state, placed_ms, lease_until_ms FROM jobs WHERE placed <> '' AND state IN "
          "('waiting', 'leased')")) {
    const std::string& name = row.text(0);
    const bool claimed = row.text(1) == "leased";
    const auto found = known.find(name);
    if (!claimed && found != known.end() && is_unclaimed(*found->second, row.number(2), now_ms)) {
      lose_placed(database_, name,
                  fmt::format("{} runs since {} s and did not claim its attempt", name,
                              (now_ms - found->second->started_ms) / 1000),
                  now_ms, changes);
      continue;  // not open any more: it is cancelled below
    }
    open.insert(name);
    if (found != known.end() && found->second->waits_or_runs()) continue;
    if (row.number(2) > round.begun_ms - kSettlingMs) continue;
    // A lease that is still renewed shows that the job runs, whatever Slurm reports.
    if (claimed && row.number(3) > now_ms + kLeaseMs - kSilentMs) continue;
    if (found != known.end())
      lose_placed(database_, name,
                  fmt::format("Slurm says {} ({}) of {}", found->second->state,
                              found->second->reason, name),
                  now_ms, changes);
    else if (claimed)
      lose_placed(database_, name, fmt::format("Slurm does not know {} any more", name), now_ms,
                  changes);
    else
      take_back(database_, name, now_ms);
  }
  for (const auto& [name, job] : known)
    if (job->waits_or_runs() && !open.contains(name)) to_cancel_.push_back(name);
}

}  // namespace ridge::leaderboard
